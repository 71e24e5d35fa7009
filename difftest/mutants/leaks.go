package mutants

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/run"
)

// secret is what the caller before has in its inputs, results and scratch: eight
// bytes that are no number anybody draws.
var secret = []byte{0x5e, 0xc2, 0xe7, 0x5e, 0xc2, 0xe7, 0x5e, 0xc3}

// spy is the kernel of the caller before: it copies its input into scratch, and from
// there into its result.
func spy() (*kernel.Kernel, error) {
	return kernel.ParseText(`
kernel
size s0 0..1000000
region read i64 s0
region scratch i64 s0
region write i64 s0
sites 0
outer 1
grain 1
count 1
body o lo hi
  n = size s0
  for i in o..n {
    x = load r0 i
    store r1 i x
    y = load r1 i
    store r2 i y
    yield
  }
  end`)
}

// before is the other caller's run: afterwards its bytes lie in whatever memory the
// engine keeps for the next one. Sizes go through those of the small spans.
func (l *lab) before() error {
	n := int64(1) << l.r.IntN(16)
	in := bytes.Repeat(secret, int(n))
	p := &run.Piece{Kernel: l.spy, Sizes: []int64{n}, Hi: 1,
		Operands: []run.Operand{run.Inline{Bytes: in}, nil, run.Out{Count: n}}}
	outs, _, _, err := run.RunPiece(l.ctx, p, run.Options{Engine: l.engine, Threads: 1})
	if err == nil && !bytes.Equal(outs[0], in) {
		err = errors.New("the caller before did not get its own bytes back")
	}
	return err
}

// after runs the mutant for a second caller, on the engine that the first one has
// used, on several threads, the way a node does. What its regions do not say is zero.
func (l *lab) after(c *kerneltest.Case, want *outcome) error {
	if c.Outer == 0 {
		return nil
	}
	if err := l.before(); err != nil {
		return &Finding{Kind: "before", Text: err.Error()}
	}
	comp, err := l.engine.Kernel(l.ctx, c.Kernel)
	if err != nil {
		return &Finding{Kind: "engine", Text: err.Error()}
	}
	defer l.engine.Forget(comp.Hash)
	for _, way := range []struct {
		name string
		run  func(*engine.Compiled, *kerneltest.Case) (*outcome, error)
	}{{"piece", l.piece}, {"workers", l.workers}, {"once", l.once}} {
		used := l.engine.Arena().InUse()
		got, err := way.run(comp, c)
		if err == nil {
			err = differs(c.Kernel, want, got.regions, got.faults)
		}
		if err == nil && seen(got, want) {
			err = errors.New("the bytes of the caller before are in what it wrote")
		}
		if err != nil {
			return &Finding{Kind: way.name, Text: err.Error()}
		}
		if now := l.engine.Arena().InUse(); now > used+slack {
			return &Finding{Kind: "kept", Text: fmt.Sprintf("%s: %d bytes of kernel memory are in use after the run, %d before", way.name, now, used)}
		}
	}
	return nil
}

// slack is what instances keep of kernel memory for their arguments, until their
// kernel is forgotten.
const slack = 64 << 10

func seen(got, want *outcome) bool {
	for i := range got.regions {
		if bytes.Contains(got.regions[i], secret) && !bytes.Contains(want.regions[i], secret) {
			return true
		}
	}
	return false
}

// piece runs a case as a node runs a parcel's.
func (l *lab) piece(comp *engine.Compiled, c *kerneltest.Case) (*outcome, error) {
	p := &run.Piece{Kernel: comp, Sizes: c.Sizes, Scalars: c.Scalars, Hi: c.Outer}
	lens := c.Lens()
	for i, r := range c.Kernel.Regions {
		var o run.Operand
		switch {
		case r.Access == kernel.Scratch:
		case r.Access == kernel.Read:
			o = run.Inline{Bytes: c.Regions[i]}
		case zero(c.Regions[i]):
			o = run.Out{Count: lens[i]}
		default:
			o = run.InOut{Bytes: c.Regions[i]}
		}
		p.Operands = append(p.Operands, o)
	}
	outs, faults, _, err := run.RunPiece(l.ctx, p, run.Options{Engine: l.engine, Threads: 1 + l.r.IntN(3), Stretch: l.r.Int64N(3)})
	if err != nil {
		return nil, err
	}
	got := &outcome{make([][]byte, len(p.Operands)), faults}
	for i, o := range p.Operands {
		if got.regions[i] = c.Regions[i]; o == nil {
			got.regions[i] = nil
		}
		if _, ok := run.Returns(o); ok {
			got.regions[i], outs = outs[0], outs[1:]
		}
	}
	return got, nil
}

func zero(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }

// workers has several goroutines take slices in a random order, over one memory.
func (l *lab) workers(comp *engine.Compiled, c *kerneltest.Case) (*outcome, error) {
	got, bases, free, err := l.lay(c)
	if err != nil {
		return nil, err
	}
	defer free()
	job, list := l.engine.NewJob(comp, c.Sizes, c.Scalars), cuts(l.r, c)
	n := 3
	if comp.Sequential() {
		relayed, err := job.Relay(l.ctx, bases, 0)
		switch {
		case err != nil:
			return nil, err
		case relayed:
			l.Relays++
		default:
			n = 1
		}
	}
	var next atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, n)
	for i := range n {
		group.Go(func() {
			w, err := job.Worker(l.ctx)
			if err != nil {
				errs[i] = err
				return
			}
			defer w.Close()
			w.SetBases(bases)
			for j := next.Add(1) - 1; j < int64(len(list)); j = next.Add(1) - 1 {
				if err := w.Run(l.ctx, list[j][0], list[j][1]); err != nil {
					errs[i] = err
					job.Fail(list[j][0])
				}
			}
		})
	}
	group.Wait()
	job.Settle()
	return &outcome{copyOut(got), job.Faults()}, errors.Join(errs...)
}

// once runs a case as a node runs states.
func (l *lab) once(comp *engine.Compiled, c *kerneltest.Case) (*outcome, error) {
	got, bases, free, err := l.lay(c)
	if err != nil {
		return nil, err
	}
	defer free()
	faults, err := comp.Once(l.ctx, c.Sizes, c.Scalars, bases, 0, c.Outer)
	if err == nil && faults == nil {
		faults = stepper.NewFaults(c.Kernel.Sites)
	}
	return &outcome{copyOut(got), faults}, err
}

func copyOut(regions [][]byte) (out [][]byte) {
	for _, b := range regions {
		out = append(out, bytes.Clone(b))
	}
	return out
}

// lay puts a case's regions into the engine's memory.
func (l *lab) lay(c *kerneltest.Case) (regions [][]byte, bases []int64, free func(), err error) {
	var spans []mem.Span
	free = func() {
		for _, s := range spans {
			l.engine.Arena().Free(s)
		}
	}
	for i, b := range c.Regions {
		s := mem.Span{}
		var m []byte
		if c.Kernel.Regions[i].Access != kernel.Scratch {
			if s, m, err = l.engine.Alloc(int64(len(b))); err != nil {
				free()
				return nil, nil, nil, err
			}
			spans = append(spans, s)
			copy(m, b)
		}
		regions, bases = append(regions, m), append(bases, s.Off)
	}
	return regions, bases, free, nil
}
