package data

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// In: names of files and folders, and patterns. Out: the files that they mean: those of a folder and of a pattern in natural order, what
// was named one after the other in that order. A folder means all files in it and in its folders that have an ending that is
// read. What begins with . or _ is left out, as programs that write many files mark with it what is no table.

// maxFiles bounds a list.
const maxFiles = 1 << 20

// expand gives the files of a spec.
func (s *Spec) expand() ([]string, error) {
	if s.Plain && !isFolder(s.Names[0]) {
		return s.Names, nil
	}
	var all []string
	seen := map[string]bool{}
	for _, name := range s.Names {
		list, err := s.expandOne(name)
		if err != nil {
			return nil, err
		}
		for _, p := range list {
			if seen[filepath.Clean(p)] {
				e := fail(p, "the file is in the list twice, and its rows would count twice")
				e.Help = "leave one out; patterns and folders of a list must not overlap\nor give it a second name, if its rows shall count twice: ln " + shellWord(p) + " " + shellWord(secondName(p))
				return nil, e
			}
			seen[filepath.Clean(p)] = true
		}
		if all = append(all, list...); len(all) > maxFiles {
			return nil, fail(s.Text, "these are more than %d files", maxFiles)
		}
	}
	return all, nil
}

// secondName is a name beside a file's own, with its ending.
func secondName(p string) string {
	dir, base := filepath.Split(p)
	return dir + "again-" + base
}

// shellWord is a name as a shell takes it.
func shellWord(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == "" && !strings.HasPrefix(name, "-") {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

func (s *Spec) expandOne(name string) ([]string, error) {
	plain := plainName(name)
	if s.Plain {
		plain = name
	}
	switch {
	case name == "":
		e := fail(s.Text, "a name in the list is empty")
		e.Help = `write a,b without a comma at an end; a comma that belongs to a name is written \,`
		return nil, e
	case name == "-" && !s.Plain:
		return []string{Stdin}, nil
	case isFolder(plain):
		return inFolder(plain)
	case s.Plain || exists(plain) || !hasWildcard(name):
		return []string{plain}, nil
	}
	return matching(name)
}

func isFolder(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}

func hasWildcard(name string) bool {
	return unescaped(name, '*') >= 0 || unescaped(name, '?') >= 0 || unescaped(name, '[') >= 0
}

// aside reports names of what is no table. A folder for values of a column that begins with _ is one, as Spark has it.
func aside(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") && !strings.Contains(name, "=")
}

// inFolder gives all tables below a folder.
func inFolder(root string) (list []string, err error) {
	others := 0
	real := resolved(root) // a walk does not follow a link
	err = filepath.WalkDir(real, func(at string, d fs.DirEntry, err error) error {
		p := filepath.Join(root, strings.TrimPrefix(at, real))
		switch {
		case err != nil:
			return err
		case at == real:
			return nil
		case aside(d.Name()) && d.IsDir():
			return filepath.SkipDir
		case d.IsDir() || aside(d.Name()):
			return nil
		case !Reads(p):
			others++
		default:
			list = append(list, p)
		}
		return nil
	})
	if err != nil {
		return nil, systemError(root, err)
	}
	if len(list) == 0 {
		e := fail(root, "there is no table in this folder, nor in the folders in it; %s", counted(others, "other file"))
		e.Help = "tables end in .csv, .tsv, .jsonl, .parquet, .arrow or .npy, perhaps with .gz or .zst; others are named by a pattern: '" + filepath.Join(root, "*") + "?format=csv'"
		return nil, e
	}
	slices.SortFunc(list, natural)
	return list, mixed(root, list)
}

// mixed refuses a folder with files of several formats: which are meant?
func mixed(root string, list []string) error {
	for _, p := range list[1:] {
		a, b := inside(list[0]), inside(p)
		if formats[a] != nil && formats[b] != nil && formats[a] != formats[b] {
			e := fail(root, "this folder has files of several formats, as %s and %s", list[0], p)
			pattern := "*" + extension(p)
			if filepath.Dir(p) != filepath.Clean(root) {
				pattern = filepath.Join("**", pattern)
			}
			e.Help = "choose by a pattern: '" + filepath.Join(root, pattern) + "'"
			return e
		}
	}
	return nil
}

func counted(n int, what string) string {
	if n == 0 {
		return "it has no " + what
	}
	return "it has " + diag.Counted(int64(n), what)
}

// matching gives the files that a pattern matches, or those in the folders that it does; ** stands for any number of folders.
func matching(pattern string) ([]string, error) {
	files, folders, err := matched(pattern)
	if len(files) > 0 || err != nil {
		return files, err
	}
	for _, f := range folders {
		list, err := inFolder(f)
		if err != nil {
			return nil, err
		}
		files = append(files, list...)
	}
	return files, mixed(pattern, files)
}

// matched gives the files and the folders that a pattern matches, in their order.
func matched(pattern string) (files, folders []string, err error) {
	root, rest := "", strings.Split(strings.TrimRight(pattern, "/"), "/")
	if strings.HasPrefix(pattern, "/") {
		root, rest = "/", rest[1:]
	}
	for _, part := range rest {
		if _, err := path.Match(part, ""); err != nil {
			e := fail(pattern, "`%s` is no pattern", part)
			e.Help = `a [ that belongs to a name is written \[`
			return nil, nil, e
		}
	}
	m := &matcher{pattern: pattern}
	m.in(root, rest)
	for _, list := range []*[]string{&m.found, &m.folders} {
		slices.SortFunc(*list, natural)
		*list = slices.Compact(*list)
	}
	if len(m.found)+len(m.folders) == 0 && m.err == nil {
		m.err = m.nothing()
	}
	return m.found, m.folders, m.err
}

// matcher walks over folders.
type matcher struct {
	pattern string
	found   []string
	folders []string // that the last part matches
	looked  []string // folders without a match in the last part, a few of them
	entries int      // in them
	near    []string // names in them, a few
	missing string   // a folder that is not there
	err     error
}

func (m *matcher) in(dir string, parts []string) {
	part := parts[0]
	switch {
	case m.err != nil:
	case part == "" && len(parts) > 1:
		m.in(dir, parts[1:])
	case !hasWildcard(part) && len(parts) > 1:
		next := joined(dir, plainName(part))
		if !isFolder(next) {
			m.missing = next
			return
		}
		m.in(next, parts[1:])
	case part == "**":
		m.anywhere(dir, parts)
	default:
		m.here(dir, part, parts[1:])
	}
}

// anywhere is for **.
func (m *matcher) anywhere(dir string, parts []string) {
	rest := parts[1:]
	if len(rest) == 0 {
		rest = []string{"*"}
	}
	m.in(dir, rest)
	for _, e := range m.list(dir) {
		if e.IsDir() && !aside(e.Name()) {
			m.anywhere(joined(dir, e.Name()), parts)
		}
	}
}

// here matches the names in one folder.
func (m *matcher) here(dir, part string, rest []string) {
	for _, e := range m.list(dir) {
		name := e.Name()
		if ok, _ := path.Match(part, name); !ok || aside(name) && !aside(part) {
			if len(rest) == 0 {
				m.entries++
				if len(m.near) < 3 && !aside(name) {
					m.near = append(m.near, name)
				}
			}
			continue
		}
		p := joined(dir, name)
		switch folder := e.IsDir() || e.Type()&fs.ModeSymlink != 0 && isFolder(p); {
		case len(rest) > 0 && folder:
			m.in(p, rest)
		case len(rest) == 0 && !folder:
			m.found = append(m.found, p)
		case len(rest) == 0:
			m.folders = append(m.folders, p)
		}
	}
	if len(rest) == 0 && len(m.looked) < 3 {
		m.looked = append(m.looked, cmp.Or(dir, "."))
	}
	if len(m.found) > maxFiles {
		m.err = fail(m.pattern, "these are more than %d files", maxFiles)
	}
}

func (m *matcher) list(dir string) []fs.DirEntry {
	list, err := os.ReadDir(cmp.Or(dir, "."))
	if err != nil && m.err == nil && !errors.Is(err, fs.ErrNotExist) {
		m.err = systemError(dir, err)
	}
	return list
}

func joined(dir, name string) string {
	switch {
	case dir == "":
		return name
	case strings.HasSuffix(dir, "/"):
		return dir + name
	}
	return dir + "/" + name
}

// nothing says where a pattern was looked for.
func (m *matcher) nothing() error {
	e := fail(m.pattern, "no file matches")
	switch {
	case len(m.looked) > 0:
		e.Msg = fmt.Sprintf("no file matches; looked in %s: nothing is there", listed(m.looked))
		if m.entries > 0 {
			e.Msg = fmt.Sprintf("no file matches; looked in %s: %d other names", listed(m.looked), m.entries)
		}
		if len(m.near) > 0 {
			e.Msg += ", such as " + listed(m.near)
		}
	case m.missing != "":
		e.Msg = fmt.Sprintf("no file matches: there is no folder %s", m.missing)
	default:
		e.Msg = "no file matches: no folder does that its first parts mean"
	}
	e.Help = `check the pattern: * stands for any signs in a name, ? for one, ** for any folders; signs of a name itself are written \*, \? and \[`
	return e
}
