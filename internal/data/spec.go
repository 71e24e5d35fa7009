package data

import (
	"os"
	"strings"
)

// In: an argument as it is written: NAMES?OPTIONS#COLUMN. Out: its parts. NAMES is one name of a file or folder, or several with
// commas between them; * ? [ ] in them are wildcards. What exists under the text as a whole is that file, whatever signs are in
// its name. Elsewhere a backslash takes the meaning from the sign behind it.

// Stdin is what errors call standard input. As an argument it is -.
const Stdin = "standard input"

// Spec says which files are an argument, and how they are read.
type Spec struct {
	Text    string   // as it was written, without options and column
	Names   []string // names, or patterns with wildcards and backslashes
	Plain   bool     // Names are as files are called, and mean just these
	Column  string
	Options Options
	// Behind says that the column stands behind options, where a # may be meant as a part of one.
	Behind bool
}

// One is the spec of a single file of this name.
func One(path string) *Spec { return &Spec{Text: path, Names: []string{path}, Plain: true} }

// HashHelp is how a # is written that is part of an option, and names no column.
const HashHelp = "if the # is part of an option, write it %23"

// Several is the spec of files, folders and patterns.
func Several(names []string, opt Options) *Spec {
	return &Spec{Text: strings.Join(names, ","), Names: names, Options: opt}
}

// ParseSpec reads an argument; ok is false where it means no file, as a number does.
func ParseSpec(text string) (s *Spec, ok bool, err error) {
	if text == "" {
		return nil, false, nil
	}
	if exists(text) {
		return One(text), true, nil
	}
	names, opt, column := cut(text)
	if exists(names) {
		s = One(names)
	} else {
		s = &Spec{Text: names, Names: unescapedSplit(names, ',')}
	}
	s.Column, s.Behind = column, column != "" && opt != ""
	if !s.Plain && !s.files() {
		return nil, false, nil
	}
	if opt != "" {
		if s.Options, err = ParseOptions(opt); err != nil {
			err.(*Error).Path = names
			return nil, true, err
		}
	}
	return s, true, nil
}

func exists(path string) bool {
	if path == "" {
		return false
	}
	_, err := os.Stat(path)
	return err == nil
}

// cut finds where options and column begin.
func cut(text string) (names, opt, column string) {
	names = text
	if i := optionsAt(text); i >= 0 {
		names, opt = text[:i], text[i+1:]
		opt, column, _ = strings.Cut(opt, "#")
		return names, opt, column
	}
	if i := unescaped(text, '#'); i >= 0 {
		names, column = text[:i], text[i+1:]
	}
	return names, opt, column
}

// optionsAt is the place of a ? behind which a word and = stand; others are wildcards. -1 if there is none.
func optionsAt(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '#':
			return -1
		case '?':
			n := i + 1
			for n < len(text) && (text[n] >= 'a' && text[n] <= 'z') {
				n++
			}
			if n > i+1 && n < len(text) && text[n] == '=' {
				return i
			}
		}
	}
	return -1
}

// unescaped is the place of the first c without a backslash before it, -1 if there is none.
func unescaped(text string, c byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case c:
			return i
		}
	}
	return -1
}

func unescapedSplit(text string, c byte) (parts []string) {
	for {
		i := unescaped(text, c)
		if i < 0 {
			return append(parts, text)
		}
		parts, text = append(parts, text[:i]), text[i+1:]
	}
}

// plainName is a name without its backslashes.
func plainName(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] == '\\' && i+1 < len(name) {
			i++
		}
		b.WriteByte(name[i])
	}
	return b.String()
}

// files reports that the names mean files: each has a known ending, a slash or a wildcard, is there, or is -.
func (s *Spec) files() bool {
	some := false
	for _, name := range s.Names {
		plain := plainName(name)
		switch {
		case name == "-", Reads(plain), strings.ContainsRune(plain, '/'):
			some = true
		case strings.ContainsAny(plain, "[](){} "):
			if !exists(plain) {
				return false
			}
		default:
			some = some || unescaped(name, '*') >= 0 || exists(plain)
		}
	}
	return some
}
