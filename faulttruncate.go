package godwit

import (
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/pattern"
)

// In: a truncate that faults, which is of one of the first times that its type has. Out: what to do about it.

var (
	truncates    = pattern.Of(`^(.+)(\.truncate\(.+\))$`)
	notDefinedOn = pattern.Of(`not defined on (Date|Timestamp(?:<\w+>)?)\n`)
)

// begunBefore is that help; "" for other operations.
func begunBefore(src *diag.Source, at diag.Span, marked string) string {
	call := truncates().FindStringSubmatch(marked)
	if call == nil {
		return ""
	}
	const help, leave = "the interval begins before the first time that a ", " has: leave such values out before"
	_, err := compile.Check(diag.NewSource(src.Path, src.Text[:at.Start]+call[1]+".type_of_this()"+src.Text[at.End:]))
	if err == nil {
		return ""
	}
	of := notDefinedOn().FindStringSubmatch(err.Error()) // a graph does not know it
	if of == nil {
		return help + "value of this type" + leave
	}
	coarser := map[string]string{"Date": "s", "Timestamp": "ms", "Timestamp<ns>": "us", "Timestamp<us>": "ms", "Timestamp<ms>": "s"}[of[1]]
	if coarser == "" {
		return help + of[1] + leave
	}
	return help + of[1] + leave + ", or take a type that reaches further: (" + call[1] + " as Timestamp<" + coarser + ">)" + call[2]
}
