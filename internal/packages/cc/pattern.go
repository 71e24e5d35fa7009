package cc

import (
	"regexp"
	"sync"
)

// pattern is a regular expression that is compiled when it is first wanted: most processes compile no packages.
func pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
