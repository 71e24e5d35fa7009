package lower

import (
	"slices"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// touches says how a launch gets at a buffer that it stores to.
type touches struct {
	slots  bool // only element i, in turn i of a loop or fold over the slots of a grain
	before bool // it loads what was there before
	after  bool // a turn loads what it has stored
}

func touchesOf(l *schedule.Launch, buffer int) touches {
	region := slices.Index(l.Regions, buffer)
	if region < 0 || slices.Contains(l.Regions[region+1:], buffer) { // seen as arrays of two lengths
		return touches{}
	}
	t, stored := touches{slots: true}, -1 // by which instruction of the body
	lo, hi := l.Kernel.Body.Params[1], l.Kernel.Body.Params[2]
	for i := range l.Kernel.Body.Instrs {
		in := &l.Kernel.Body.Instrs[i]
		slot := kernel.None
		if (in.Code == kernel.For && len(in.Carry) == 0 && !in.Stop || in.Code == kernel.Fold) && in.Args[0] == lo && in.Args[1] == hi {
			slot = in.Blocks[0].Params[0]
		}
		l.Kernel.Body.Instrs[i].Each(func(x *kernel.Instr) {
			if x.Code != kernel.Load && x.Code != kernel.Store || x.Region != region {
				return
			}
			t.slots = t.slots && slot != kernel.None && x.Args[0] == slot
			switch {
			case x.Code == kernel.Store:
				stored = i
			case stored == i:
				t.after = true
			case stored < 0:
				t.before = true
			}
		})
	}
	return t
}
