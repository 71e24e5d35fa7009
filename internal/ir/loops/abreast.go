package loops

import "github.com/godwit-run/godwit/internal/ir/kernel"

// In: a loop whose iterations can be interleaved. Out: how many of them an engine that cannot ask the memory beforehand has in one
// text, a turn of each after the other. A processor then has that many accesses under way by itself.

// mostAbreast is how many walks go in step. On an AMD EPYC a hop in 1 GiB took 39 ns with 4, 21 with 8 and 11 with 16; one that does
// more in a turn has fewer, as the processor looks ahead by some hundred operations.
const mostAbreast = 16

// mostText is how many instructions all iterations in step may have together: they are compiled before the first result.
const mostText = 512

// Costless reports that walks in step do no more than one after the other, and in fewer loops, so that it pays whatever the memory. No walk ends before
// another, so that none has to wait; and none has branches, which a processor guesses better while one walk goes on.
func (w *Weave) Costless() bool {
	branches := false
	w.Walk.Each(func(in *kernel.Instr) { branches = branches || in.Code == kernel.If })
	return w.Even && !branches
}

// Abreast is the number of iterations that go in step; 0 if they had better go one after the other. That is so where each walk has an end of its own,
// since the last would keep all the others, where there are other loops beside the walk, and where even two have too much text.
func (w *Weave) Abreast() int {
	if !w.Ends {
		return 0
	}
	text, loops := 0, 0
	w.In.Each(func(in *kernel.Instr) {
		if text++; IsLoop(in) {
			loops++
		}
	})
	if loops > 2 { // w.In and w.Walk
		return 0
	}
	for n := mostAbreast; n > 1; n /= 2 {
		if n*text <= mostText {
			return n
		}
	}
	return 0
}
