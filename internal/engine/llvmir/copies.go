package llvmir

import (
	"slices"
	"strconv"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// widestTable is the number of entries up to which a table has copies: enough
// of them fit into the first cache, and into the stack.
const widestTable = 256

// table is a part of a region into which single instructions combine integers
// under an index that only a run tells. Where equal indices follow each other,
// each turn waits for what the last one stored. So turns that stand in a row
// use one copy each, all but the first, and the copies are combined at the end:
// on integers, that gives the same bits.
type table struct {
	region int
	base   kernel.Value // of the entries in the region; None is 0
	width  int64
	acc    accumulator
	copies []string
	bases  []string // where the region would begin, for its part to be the copy
}

// tables finds the tables, if the single instructions do nothing but combine
// into them. A loop must have many turns to make up for the copies. An outer
// index has the part of a region to itself where it has its own turns.
func (p *plan) tables() []*table {
	if !p.OverSlots(p.In) || p.In == p.Slots || p.copies() == 1 {
		return nil
	}
	var list []*table
	known := map[*kernel.Instr]bool{}
	regions := map[int]bool{}
	for i := range p.Body.Instrs {
		store := &p.Body.Instrs[i]
		if !p.Single[store] || store.Code != kernel.Store {
			continue
		}
		t, ok := p.table(store, known)
		if !ok || regions[t.region] {
			return nil
		}
		regions[t.region], known[store] = true, true
		list = append(list, t)
	}
	if len(known) < len(p.Single) {
		return nil
	}
	return list
}

// table is what a store combines into, by instructions that it adds to known:
// r[base + key] = r[base + key] op x.
func (p *plan) table(store *kernel.Instr, known map[*kernel.Instr]bool) (*table, bool) {
	op, load := p.combined(store)
	base, key, add := p.entry(store.Args[0])
	most, small := p.UpTo(key)
	if load == nil || !small || most >= widestTable || p.isSingle(key) {
		return nil, false
	}
	acc, ok := loops.Exact(op)
	known[load], known[op] = true, true
	if add != nil {
		known[add] = true
	}
	return &table{region: store.Region, base: base, width: most + 1, acc: accumulator{Acc: acc}}, ok
}

// combined matches load–op–store on one element, of integers.
func (p *plan) combined(store *kernel.Instr) (op, load *kernel.Instr) {
	op = p.Def[store.Args[1]]
	if !p.isSingle(store.Args[1]) || op.Code != kernel.Arith || len(op.Args) != 2 || op.Site != kernel.NoSite || !op.Kind.IsInt() {
		return nil, nil
	}
	old, x := op.Args[0], op.Args[1]
	if !p.isSingle(old) {
		old, x = x, old
	}
	load = p.Def[old]
	if !p.isSingle(old) || p.isSingle(x) || load.Code != kernel.Load || load.Region != store.Region || load.Args[0] != store.Args[0] {
		return nil, nil
	}
	return op, load
}

// entry splits an index into a base that is known outside of the loop and the
// rest, if it is the sum of these.
func (p *plan) entry(index kernel.Value) (base, key kernel.Value, add *kernel.Instr) {
	add = p.Def[index]
	if !p.isSingle(index) || add.Code != kernel.Arith || add.Op != num.Add || add.Kind != num.I64 || add.Site != kernel.NoSite {
		return kernel.None, index, nil
	}
	base, key = add.Args[0], add.Args[1]
	if base >= p.Body.Params[0] {
		base, key = key, base
	}
	if base >= p.Body.Params[0] {
		return kernel.None, index, nil
	}
	return base, key, add
}

func (p *plan) isSingle(v kernel.Value) bool { return p.Def[v] != nil && p.Single[p.Def[v]] }

func (t *table) typ() typ { return typ{t.acc.Kind, 1} }

// open makes n copies that hold the identity.
func (t *table) open(p *plan, n int) {
	for range n {
		t.copies = append(t.copies, p.alloca(int(t.width), t.typ()))
	}
	t.bases = t.copies
	if t.base != kernel.None {
		t.bases = t.at(p, p.set("sub i64 0, %s", p.scalar(t.base)))
	}
	t.each(p, func(i string) {
		for _, a := range t.at(p, i) {
			p.keep(t.typ(), p.identity(t.acc, 1)[0], a)
		}
	})
}

// close combines the copies into the region. Entries to which no turn has come
// are left alone.
func (t *table) close(p *plan) {
	t.each(p, func(i string) {
		sum := p.identity(t.acc, 1)
		id := sum[0]
		for _, a := range t.at(p, i) {
			sum = p.combine(t.acc, 1, sum, []string{p.recall(t.typ(), a)})
		}
		p.when(p.two("icmp ne", t.typ(), sum[0], id), nil, func() []string {
			at := i
			if t.base != kernel.None {
				at = p.set("add i64 %s, %s", p.scalar(t.base), i)
			}
			old := p.emitter.load(t.region, at, t.typ())
			p.store(t.region, at, t.typ(), p.combine(t.acc, 1, []string{old}, sum)[0])
			return nil
		})
	})
}

// at are the addresses of an entry in all copies.
func (t *table) at(p *plan, i string) []string {
	var list []string
	for _, c := range t.copies {
		list = append(list, p.set("getelementptr %s, ptr %s, i64 %s", t.typ(), c, i))
	}
	return list
}

func (t *table) each(p *plan, body func(i string)) {
	p.loop("0", strconv.FormatInt(t.width, 10), 1, nil, func(i string, _ []string) ([]string, string) {
		body(i)
		return nil, ""
	})
}

// inCopies runs f, which writes one turn, on copy j of each table.
func (p *plan) inCopies(j int, f func()) {
	saved := slices.Clone(p.bases)
	for _, t := range p.copied {
		if j > 0 {
			p.bases[t.region] = t.bases[j-1]
		}
	}
	f()
	p.bases = saved
}
