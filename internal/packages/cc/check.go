package cc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/engine/object"
	"github.com/godwit-run/godwit/internal/packages/pack"
)

// check finds what would fail where the package runs: no X_main, half of the two
// functions that make a payload, functions that nobody provides, and whatever the
// node's linker refuses.
func (j *job) check(b []byte) error {
	defines, needs, err := object.Check(b, j.target.Arch)
	if err != nil {
		return &Error{Text: fmt.Sprintf("nodes could not link what clang made for %s: %v", j.target, err)}
	}
	name := j.opt.Name
	has := func(suffix string) bool { return slices.Contains(defines, name+suffix) }
	switch {
	case !has(pack.MainSuffix):
		return &Error{
			fmt.Sprintf("there is no function %s%s; the sources define %s", name, pack.MainSuffix, list(defines)),
			fmt.Sprintf("define void %s%s(void *payload, size_t size, void *target_args); a package has the name of its file, or of --name", name, pack.MainSuffix),
		}
	case has(pack.InitSuffix) != has(pack.BoundSuffix):
		return &Error{
			fmt.Sprintf("of %s%s and %[1]s%s only one is defined", name, pack.BoundSuffix, pack.InitSuffix),
			"define both, or neither: then the arguments are the payload",
		}
	case len(j.opt.Deps) > 0: // which functions the libraries have, the target knows
		return nil
	}
	strange := slices.DeleteFunc(needs, func(s string) bool {
		return slices.Contains(pack.Functions, s) || slices.Contains(pack.Memory, s)
	})
	if len(strange) > 0 {
		return &Error{
			fmt.Sprintf("for %s nothing provides %s", j.target, list(strange)),
			"name the library that does, as in --dep libm.so.6, or define it",
		}
	}
	return nil
}

func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	names = slices.Sorted(slices.Values(names))
	if more := len(names) - 10; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:10], ", "), more)
	}
	return strings.Join(names, ", ")
}
