package llvmir

import (
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// In comes a loop whose turns may meet in memory, see loops.Meetings; out go the
// comparisons before it, and groups of turns that do not.

// writeApart gives what it can to groups of n turns, up to each turn that no
// group may contain, and that turn with what is left over to scalar code.
func (p *plan) writeApart(from, to string, n int) {
	clear := p.distant(n)
	var meetings []string
	for _, a := range p.Meet.At {
		meetings = append(meetings, p.sumText(a, "0"))
	}
	part := func(from string) string {
		end := to
		for _, t := range meetings {
			inside := p.set("and i1 %s, %s", p.set("icmp sle i64 %s, %s", from, t), p.set("icmp slt i64 %s, %s", t, end))
			end = p.set("select i1 %s, i64 %s, i64 %s", inside, t, end)
		}
		next := to
		if len(meetings) > 0 {
			next = p.pure("llvm.smin", typ{num.I64, 1}, p.set("add i64 %s, 1", end), to)
		}
		if clear != "" {
			end = p.set("select i1 %s, i64 %s, i64 %s", clear, end, from)
		}
		p.leftOver(p.groups(from, end, n), next)
		return next
	}
	if len(meetings) == 0 {
		part(from)
		return
	}
	p.loop("0", strconv.Itoa(len(meetings)+1), 1, []state{{typ{num.I64, 1}, from}}, func(_ string, c []string) ([]string, string) {
		return []string{part(c[0])}, ""
	})
}

// distant is the condition under which all groups of n turns are right; "" for
// always.
func (p *plan) distant(n int) string {
	all := ""
	for _, d := range p.Meet.Distance {
		d.C-- // unsigned, so that 0 is far as well
		c := p.set("icmp uge i64 %s, %d", p.sumText(d, "0"), n-1)
		if all != "" {
			c = p.set("and i1 %s, %s", all, c)
		}
		all = c
	}
	return all
}
