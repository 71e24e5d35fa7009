// Package pattern has regular expressions that are compiled when they are first used.
//
// In: an expression that the program itself has. Out: a function that gives it compiled, to any number of goroutines. A process uses few of
// those that it holds, and to compile all of them would take a tenth of the time of a short command.
package pattern

import (
	"regexp"
	"sync"
)

// Of compiles an expression in the syntax of package regexp when it is first asked for. One that does not compile panics then.
func Of(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
