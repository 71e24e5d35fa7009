package verify

import (
	"fmt"
	"strings"
)

// An Error says why a kernel is refused. Values are called v0, v1, … as in
// the kernel's text.
type Error struct {
	Path  string // of the instruction: "body > 2 for > 0 load"; or a part of the header
	Instr string // its text, if it is about one
	Need  string // what had to hold
	Known string // what is known instead
	Err   error  // a *kernel.FormatError of a kernel that has no bytes
}

func (e *Error) Unwrap() error { return e.Err }

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("verify: " + e.Path)
	if e.Instr != "" {
		fmt.Fprintf(&b, ": `%s`", e.Instr)
	}
	b.WriteString(": " + e.Need)
	if e.Known != "" {
		b.WriteString("; known: " + e.Known)
	}
	return b.String()
}
