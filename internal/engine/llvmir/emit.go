package llvmir

import (
	"fmt"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/loops"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// emitter writes the function of one kernel.
type emitter struct {
	text
	*loops.Analysis
	k    *kernel.Kernel
	t    Target
	lay  *Layout
	vals []operand // per value: what it is at this point of the text
	// lanes is how many turns are computed side by side; 1 is scalar code.
	lanes  int
	shapes []loops.Shape // per value, while lanes > 1
	// comparing is the fold whose slots come one after the other in each lane, so that floats may be compared (see compared.go).
	comparing *kernel.Instr
	// plain keeps loops from being vectorised: what is left over of a vector
	// loop.
	plain bool
	// packed holds the elements that the turns at hand load in inner loops,
	// instead of the region.
	packed map[*kernel.Instr]func() string
	// carried holds the elements that loads get from the turn before.
	carried map[*kernel.Instr]string
	// running are the operations that give each lane what all lanes up to it have.
	running map[*kernel.Instr]*prefix
	// past are the stores that go past the caches at this point of the text, and
	// pastFrom from how many bytes on any do.
	past        []*kernel.Instr
	pastFrom    int64
	shortStores map[int]bool // regions with stores of vectors shorter than fed
	appends     map[*kernel.Instr]bool
	polys       []string
	scalars     []string
	bases       []string
	tops        []string // per region that is read, the greatest integer below its bound if sizes decide it
	pending     []fault
	taken       string   // the lanes that take the block of an If at hand; "" for all
	held        int      // panels of columns that may stay in the work memory, so far
	stack       []string // allocas, which belong into the entry block
	weaving     *weaving // the iterations that are being interleaved at this point of the text; nil for none
	mode        mode
	inFlight    string   // how many states, or turns ahead, the block asks for
	ends        []string // by Layout.Indices
	guesses     bool     // somewhere is a choice that a branch would get wrong
	extremes    bool     // somewhere the lesser or greater of two floats is taken
	failed      error
}

// Emit gives the text of a module without a target triple or a data layout. The
// kernel must be one that verify has accepted. Compiled for an amd64 without
// SSE4.1, rounding operations call the C library.
func Emit(k *kernel.Kernel, t Target) (string, error) { return emit(k, t, usual) }

// limits are what tests lower, so that small cases come to what is for large ones.
type limits struct {
	lanes int   // turns side by side, at most
	past  int64 // bytes from which stores go past the caches
}

var usual = limits{maxLanes, pastCaches}

func emit(k *kernel.Kernel, t Target, m limits) (string, error) {
	switch t.VectorBytes {
	case 0:
		t.VectorBytes = 16
	case 16, 32, 64:
	default:
		return "", fmt.Errorf("llvmir: vectors of %d bytes, expected 16, 32 or 64", t.VectorBytes)
	}
	e := newEmitter(k, t, m)
	e.function()
	if e.failed != nil {
		return "", e.failed
	}
	return e.module(), nil
}

func newEmitter(k *kernel.Kernel, t Target, m limits) *emitter {
	engine := t.Engine()
	engine.MostLanes = m.lanes
	a := loops.Of(k, engine)
	e := &emitter{Analysis: a, k: k, t: t, lay: NewLayout(k), vals: make([]operand, len(a.Kinds)), lanes: 1, pastFrom: m.past,
		packed: map[*kernel.Instr]func() string{}, carried: map[*kernel.Instr]string{}, running: map[*kernel.Instr]*prefix{}, shortStores: map[int]bool{}, extremes: takesExtremes(&k.Body)}
	e.appends = e.appending()
	return e
}

func (e *emitter) fail(format string, args ...any) {
	if e.failed == nil {
		e.failed = fmt.Errorf("llvmir: "+format, args...)
	}
}

func (e *emitter) module() string {
	var b strings.Builder
	fmt.Fprintf(&b, "define void @%s(ptr noalias %%block, i64 %%lo, i64 %%hi) #0 {\n", Function)
	b.WriteString("entry:\n" + strings.Join(e.stack, "\n") + "\n" + strings.Join(e.lines, "\n") + "\n}\n\n" + strings.Join(e.uses, "\n") + "\n")
	bits := 8 * e.t.VectorBytes
	fmt.Fprintf(&b, "\nattributes #0 = { nounwind \"prefer-vector-width\"=\"%d\" \"min-legal-vector-width\"=\"%d\" }\n", bits, bits)
	b.WriteString("\n!0 = !{!\"branch_weights\", i32 1, i32 100000}\n")
	e.scopes(&b)
	return b.String()
}

// function writes the loop over outer indices. The state is carried from one
// to the next.
func (e *emitter) function() {
	e.block = "entry"
	e.prologue()
	if e.Slots != nil {
		e.when(e.set("icmp slt i64 %%lo, %%hi"), nil, func() []string {
			e.allSlots(e.Slots)
			return nil
		})
		e.line("ret void")
		return
	}
	grain, count := e.poly(e.k.Grain), e.poly(e.k.Count)
	p := e.k.Body.Params
	states := e.loadState()
	last := e.loop("%lo", "%hi", 1, states, func(o string, c []string) ([]string, string) {
		e.lookAtStop()
		lo := e.set("mul i64 %s, %s", o, grain)
		end := e.set("add i64 %s, %s", lo, grain)
		e.bind(p[0], o)
		e.bind(p[1], lo)
		e.bind(p[2], e.call(typ{num.I64, 1}, "llvm.smin", []typ{{num.I64, 1}}, "i64 "+end, "i64 "+count))
		for i, s := range c {
			e.bind(p[3+i], s)
		}
		e.body(&e.k.Body)
		next := make([]string, len(states))
		for i, v := range e.k.Body.Results {
			next[i] = e.scalar(v)
		}
		return next, ""
	})
	for i, s := range with(states, last) {
		e.store(e.k.State[i].Region, "0", typ{s.typ.kind, 1}, s.text)
	}
	e.line("ret void")
}

// prologue loads all that does not change during the run.
func (e *emitter) prologue() {
	for i := range e.lay.Polys {
		e.polys = append(e.polys, e.fromBlock("i64", int64(8*i)))
	}
	for i, s := range e.k.Scalars {
		bits := e.fromBlock("i64", e.lay.Scalars+int64(8*i))
		e.scalars = append(e.scalars, e.fromBits(bits, s.Kind))
	}
	for r := range e.k.Regions {
		e.bases = append(e.bases, e.fromBlock("ptr", e.lay.Bases+int64(8*r)))
	}
	e.loadTops()
	if e.lay.Woven {
		e.inFlight = e.fromBlock("i64", e.lay.Weave)
	}
	for i := range e.lay.Indices {
		e.ends = append(e.ends, e.fromBlock("i64", e.lay.Ends+int64(8*i)))
	}
}

// fromBits is a value of kind k out of its 64 canonical bits.
func (e *emitter) fromBits(bits string, k num.Kind) string {
	t := typ{k, 1}
	if k.Bits() < 64 {
		bits = e.set("trunc i64 %s to i%d", bits, k.Bits())
	}
	if k.IsFloat() {
		return e.set("bitcast %s %s to %s", t.bits(), bits, t)
	}
	return bits
}

func (e *emitter) loadState() []state {
	var states []state
	for _, s := range e.k.State {
		t := typ{s.Kind, 1}
		states = append(states, state{t, e.load(s.Region, "0", t)})
	}
	return states
}

// lookAtStop ends the run when another thread has asked for it.
func (e *emitter) lookAtStop() {
	word := e.set("load volatile i64, ptr %s, align 8, %s", e.inBlock(e.lay.Stop), e.aliasing(-1))
	out, on := e.label(), e.label()
	e.rarely(e.set("icmp ne i64 %s, 0", word), out, on)
	e.open(out)
	e.line("ret void")
	e.open(on)
}
