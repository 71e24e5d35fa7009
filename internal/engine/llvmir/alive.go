package llvmir

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In comes a straight body, out goes how many vectors of turns it may be written for at
// once. A processor looks only some hundred instructions ahead. If those are one long chain after
// another, it waits for each operation's result; chains side by side in the text fill that time. They may
// be as many as keep their values in registers; constants come from memory where registers are short.

// fewValues is up to how many values a turn is no long chain.
const fewValues = 12

// mostVectors are enough for the longest waits: 4 operations at once, each 4 cycles long, in pairs.
const mostVectors = 8

// registers is how many registers for vectors the processor has.
func (t Target) registers() int {
	if t.VectorBytes == 64 || t.Arch == "arm64" || t.Arch == "riscv64" {
		return 32
	}
	return 16
}

// chains is how many vectors of turns fit into registers side by side.
func (p *plan) chains(w *weight) int {
	n := 1
	for most := p.alive(w.size()); n < mostVectors && 2*n*most <= p.t.registers(); {
		n *= 2
	}
	return n
}

// alive is the greatest number of registers that the values which vary between lanes need at one
// time, in the order of the body, where a vector of values of unit bytes needs one.
func (p *plan) alive(unit int) int {
	last := map[kernel.Value]int{}
	for i := range p.body.Instrs {
		for _, v := range p.body.Instrs[i].Args {
			last[v] = i
		}
	}
	now, most := 0, 0
	for i := range p.body.Instrs {
		in := &p.body.Instrs[i]
		ends := map[kernel.Value]bool{}
		for _, v := range in.Args {
			if last[v] == i && v > p.body.Params[0] && !ends[v] {
				now -= p.registersOf(v, unit)
				ends[v] = true
			}
		}
		for _, v := range in.Out {
			if _, used := last[v]; used {
				now += p.registersOf(v, unit)
			}
		}
		most = max(most, now)
	}
	return most
}

func (p *plan) registersOf(v kernel.Value, unit int) int {
	if p.shapes[v] != varying {
		return 0
	}
	if p.kind(v) == num.Bool {
		return 1
	}
	return max(1, p.kind(v).Size()/unit)
}
