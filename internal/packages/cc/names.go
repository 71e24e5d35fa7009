package cc

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/pattern"
)

// In: lines of LLVM's language. Out: what of the names in them is refused. A section of its
// own can make a table of bytes into code, without any assembly; names that do not print show
// something else to whoever reads them, and are lines of their own to tools that write assembly.

var (
	sectionOf   = pattern.Of(`^(?:@|define |declare ).*[ ,]section ("[^"]*")`)
	sectionsBy  = pattern.Of(`"(implicit-section-name|(?:bss|data|rodata|relro)-section)"="([^"]*)"`)
	anyName     = pattern.Of(`[@$]"([^"]*)"`)
	escapedByte = pattern.Of(`\\[0-9A-Fa-f]{2}`)
)

// ofLLVM is the section of what clang tells LLVM; it goes into no object.
const ofLLVM = "llvm.metadata"

// unescaped is the text of a quoted name.
func unescaped(text string) string {
	return escapedByte().ReplaceAllStringFunc(text, func(e string) string {
		b, _ := strconv.ParseUint(e[1:], 16, 8)
		return string([]byte{byte(b)})
	})
}

func prints(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// names finds what is refused in a line that begins a function or a variable; line is whole with
// its texts emptied.
func (m *module) names(whole, line string) {
	debug := first(debugNode(), line)
	for _, n := range anyName().FindAllStringSubmatch(whole, -1) {
		// Clang puts a byte of 1 before names that LLVM takes as they are.
		if name := strings.TrimPrefix(unescaped(n[1]), "\x01"); !prints(name) {
			m.lines = append(m.lines, found{fmt.Sprintf("the name %.100q, which does not print,", name), debug, ""})
		}
	}
	if s := sectionOf().FindStringSubmatch(whole); s != nil && s[1] != `"`+ofLLVM+`"` {
		m.lines = append(m.lines, found{fmt.Sprintf("the section %.100q", unescaped(strings.Trim(s[1], `"`))), debug, ""})
	}
	m.lines = append(m.lines, found{"", debug, first(groupOf(), line)})
}

// group takes in a group of attributes, and what is refused of whoever has it.
func (m *module) group(whole, line string) {
	a := attributes().FindStringSubmatch(line)
	if a == nil {
		return
	}
	if s := sectionsBy().FindStringSubmatch(whole); s != nil {
		m.groups[a[1]] = fmt.Sprintf("the section %.100q", unescaped(s[2]))
	}
	for _, f := range strings.Fields(a[2]) {
		if f == "naked" {
			m.groups[a[1]] = "a naked function"
		}
	}
}
