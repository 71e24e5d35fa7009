package value

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// In: text that anybody may have chosen. Out: text that stays on its line and does nothing to a terminal.

// joiner makes one sign of two, as of an emoji; it does nothing to a terminal.
const joiner = '\u200d'

// Escaped writes what does not print, and is none of keep, as in a Go string.
func Escaped(s, keep string) string {
	harmless := func(r rune) bool { return unicode.IsPrint(r) || r == joiner || strings.ContainsRune(keep, r) }
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !harmless(r) }) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 || !harmless(r) {
			q := strconv.Quote(s[:n])
			b.WriteString(q[1 : len(q)-1])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}
