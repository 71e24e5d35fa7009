package data

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// In: a source, and the name of a file or a folder that is to be written. Out: whether what was named as the source would have it the next time, so that
// its rows would count twice. Folders on the way may have several names.

// Within reports that a source is folders or patterns that what is written is within.
func Within(src Source, to Target) bool {
	if len(to.By) == 0 && !Reads(to.Path) {
		return false // no table, as is JSON
	}
	var s *Spec
	switch l := src.(type) {
	case *typedList:
		s = l.files.spec
	case *list:
		s = l.spec
	}
	return s != nil && slices.ContainsFunc(s.Names, func(name string) bool { return s.within(name, to.Path) })
}

func (s *Spec) within(name, to string) bool {
	plain := plainName(name)
	if s.Plain {
		plain = name
	}
	switch {
	case isFolder(plain):
		return under(plain, to)
	case s.Plain || exists(plain) || !hasWildcard(name):
		return false
	}
	files, folders, _ := matched(name)
	for _, f := range folders {
		if len(files) == 0 && under(f, to) {
			return true
		}
	}
	last := name[strings.LastIndexByte(name, '/')+1:]
	if ok, _ := path.Match(last, filepath.Base(to)); !ok && last != "**" {
		return false
	}
	return slices.ContainsFunc(files, func(f string) bool { return resolved(filepath.Dir(f)) == resolved(filepath.Dir(to)) })
}

// under reports that a table is in a folder or its folders, and not aside.
func under(root, to string) bool {
	rel, err := filepath.Rel(resolved(root), resolved(to))
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return false
	}
	return rel == "." || !slices.ContainsFunc(strings.Split(rel, "/"), aside)
}

// resolved is the one name of a file or folder, which need not be there.
func resolved(p string) string {
	p, err := filepath.Abs(p)
	if err != nil {
		return p
	}
	rest := ""
	for at := p; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return p
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}
