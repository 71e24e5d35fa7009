package loops

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: a kernel. Out: for people, each of its loops that follow references, and whether others wait beside it, or why not; and those whose
// indices tell beforehand where they load and store.

// More reasons for which a loop that follows references waits for the memory by itself.
const (
	Alone  Why = "there is no loop around it whose iterations could go on meanwhile"
	Second Why = "the iterations are interleaved for another walk before it"
)

// Followed says what becomes of each loop that follows references, or goes over indices, in the order of the kernel.
func (a *Analysis) Followed() (list []string) {
	a.followed(&a.K.Body, nil, &list)
	return list
}

func (a *Analysis) followed(b *kernel.Block, around *kernel.Instr, list *[]string) {
	for i := range b.Instrs {
		in := &b.Instrs[i]
		if in.Code == kernel.For && len(a.chased(in)) > 0 {
			*list = append(*list, fmt.Sprintf("%s follows references: %s", name(in), a.fate(in, around)))
		}
		if n := len(a.Ahead(in)); n > 0 && a.interleaves(in) == nil {
			*list = append(*list, fmt.Sprintf("%s goes over indices: native code asks for %s some turns before", name(in), places(n)))
		}
		inner := around
		if IsLoop(in) {
			inner = in
		}
		for j := range in.Blocks {
			a.followed(&in.Blocks[j], inner, list)
		}
	}
}

func (a *Analysis) fate(walk, around *kernel.Instr) string {
	if around == nil {
		return "one by one, because " + string(Alone)
	}
	w, why := a.Weave(around)
	switch {
	case w == nil:
		return "one by one, because " + string(why)
	case w.Walk != walk:
		return "one by one, because " + string(Second)
	case w.Even:
		return "native code has several iterations of " + name(around) + " under way, in step" + w.together()
	}
	return "native code has several iterations of " + name(around) + " under way; one that ends makes room for the next" + w.together()
}

// together says what WebAssembly does.
func (w *Weave) together() string {
	if n := w.Abreast(); n > 1 {
		return fmt.Sprintf("; WebAssembly has %d in step", n)
	}
	return "; WebAssembly has one at a time"
}

func (a *Analysis) interleaves(in *kernel.Instr) *Weave {
	w, _ := a.Weave(in)
	return w
}

func places(n int) string {
	if n == 1 {
		return "the place that they tell"
	}
	return fmt.Sprintf("the %d places that they tell", n)
}

// name is a loop's, as the kernel's text has it.
func name(in *kernel.Instr) string { return fmt.Sprintf("the loop over v%d", in.Blocks[0].Params[0]) }
