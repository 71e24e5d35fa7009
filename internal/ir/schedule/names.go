package schedule

import (
	"fmt"
	"strconv"

	"github.com/godwit-run/godwit/internal/pattern"
)

// In: an operation without a name of its own, on a line of a source. Out: what explain calls the buffer of its result; and back.

// Unnamed is the name of what an operation gives that nobody has named.
func Unnamed(op string, line int) string { return fmt.Sprintf("%s:%d", op, line) }

var unnamed = pattern.Of(`^[a-z_]+:(\d+)`)

// LineOf is the line of the source on which an operation stands that gives what has such a name; 0 of names that a program gave.
func LineOf(name string) int {
	m := unnamed().FindStringSubmatch(name)
	if m == nil {
		return 0
	}
	line, _ := strconv.Atoi(m[1])
	return line
}
