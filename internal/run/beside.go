package run

import (
	"context"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// Remote is a source whose rows lie on other machines. Reading it works and is
// expensive; a kernel may go there instead.
type Remote interface {
	data.Source
	// RemoteSet names the data set, and says which of its rows is row 0 here.
	RemoteSet() (set uint32, originRows int64)
}

// Beside takes over launches: it has them executed beside their data. It is
// asked about every launch that reads a Remote source, when sizes and scalars
// are known and nothing has been fetched for it.
type Beside interface {
	// Launch does the launch through p, which is valid until it returns, and
	// reports true; or it reports false, having written nothing, and the run
	// goes on as if it had not been asked.
	Launch(ctx context.Context, p *Placed) (done bool, err error)
}

// Placed is a launch that Beside may take over. Its outer indices may be done
// in any order, each once: elsewhere, with what comes back given to Write and
// Faults, or by Here. Its methods are for one goroutine at a time.
type Placed struct {
	Launch   *schedule.Launch
	Compiled *engine.Compiled
	Sizes    []int64
	Scalars  []uint64
	Outer    int64 // number of outer indices

	// Packing is set if this is a launch leaf by leaf: see Packed.
	Packing *Packing
	// Turning is set if this is a launch in parts, one after the other: see InTurn.
	Turning *Turning

	p     *launching
	block *Combining // see Combined
}

// Input is a region of a launch that is a column of an argument.
type Input struct {
	Binding Binding
	Kind    num.Kind // in which kernels see it; the source may store another
	Bound   int64    // if > 0, elements must be in 0..Bound
	Rows    int64
	Width   int64 // elements per row
	Here    bool  // it has been fetched as a whole already
}

// remote reports an input that lies on other machines.
func (in *input) remote() bool {
	_, ok := in.b.Source.(Remote)
	return ok
}

func (r *runner) reachesRemote(l *schedule.Launch) bool {
	return slices.ContainsFunc(l.Regions, func(b int) bool {
		return b >= 0 && r.inputs[b] != nil && !r.inputs[b].moved && r.inputs[b].remote()
	})
}

// beside offers the launch to Options.Beside.
func (p *launching) beside() (done bool, err error) {
	placed := &Placed{Launch: p.l, Compiled: p.c, Sizes: p.Sizes, Scalars: p.Scalars, Outer: p.outer, p: p}
	if done, err = p.r.opt.Beside.Launch(p.r.ctx, placed); !done || err != nil {
		return false, err
	}
	if r := p.r; r.forecast != nil {
		return true, nil
	}
	for _, i := range placed.rows() { // what nothing was written to is there too
		if err := placed.room(i, p.l.Regions[i]); err != nil {
			return false, err
		}
	}
	return true, nil
}

// Input describes the column behind a region; false when the region is none,
// or may have been written since.
func (p *Placed) Input(region int) (Input, bool) {
	b, err := p.buffer(region)
	if err != nil {
		return Input{}, false
	}
	in := p.p.r.inputs[b]
	if in == nil || in.moved || in.b.Source == nil {
		return Input{}, false
	}
	return Input{*in.b, in.kind, in.want.Bound, in.rows, in.width, p.p.r.buffers[b].here}, true
}

// ReadsNothing reports that no outer index touches a row that lies on another machine.
func (p *Placed) ReadsNothing() bool {
	for i := range p.Compiled.Kernel.Regions {
		if in, ok := p.Input(i); !ok || !p.p.r.inputs[p.Launch.Regions[i]].remote() || in.Here {
			continue
		}
		if first, end := p.Compiled.Reach(i, p.Sizes, 0, p.Outer); p.Outer > 0 && first < end {
			return false
		}
	}
	return true
}

// Hold compiles another kernel on the engine of the run, until its Release.
func (p *Placed) Hold(s *verify.Safe) (*engine.Compiled, error) {
	return p.p.r.eng.Hold(p.p.r.ctx, s)
}

// Piece executes a piece of a kernel that Hold gave on this machine, with the threads of the run; see RunPiece.
func (p *Placed) Piece(piece *Piece) (outs [][]byte, faults []int64, err error) {
	r := p.p.r
	outs, faults, _, err = RunPiece(r.ctx, piece, Options{Engine: r.eng, Threads: r.pool.Size(), Claim: r.opt.Claim, Machine: r.opt.Machine})
	return outs, faults, err
}

// Repeats is how often the launch is expected to run from now on, this run included.
func (p *Placed) Repeats() float64 { return max(1, p.p.r.repeats) }

// Watched reports that somebody wants to be told how far the run is: see Advance.
func (p *Placed) Watched() bool { return p.p.r.opt.Progress != nil }

// Advance tells whoever watches that n outer indices are done elsewhere.
func (p *Placed) Advance(n int64) { p.p.r.progress.advance(p.Launch, n, p.Outer) }

// Len is the number of elements of a region, all outer indices together.
func (p *Placed) Len(region int) int64 {
	n, _ := kernel.EvalPoly(p.Compiled.Kernel.Regions[region].Len, p.Sizes)
	return n
}

// Bytes is the contents of a region, which is fetched if it is an input. The
// bytes must not be changed.
func (p *Placed) Bytes(region int) ([]byte, error) {
	b, err := p.buffer(region)
	if err != nil {
		return nil, err
	}
	r := p.p.r
	if p.written(region) {
		err = p.room(region, b)
	} else {
		err = r.settle(b)
	}
	if err != nil {
		return nil, err
	}
	all, n := r.bytes(b), p.Len(region)*int64(r.about[b].kind.Size())
	if int64(len(all)) < n {
		return nil, bug("region %d has %d bytes, its buffer %d", region, n, len(all))
	}
	return all[:n], nil
}

// Write stores elements from first on of a region that the kernel writes: what
// came back from elsewhere.
func (p *Placed) Write(region int, first int64, elements []byte) error {
	b, err := p.buffer(region)
	if err != nil {
		return err
	}
	if !p.written(region) {
		return fmt.Errorf("region %d of step `%s` is not written by it", region, p.Launch.Label)
	}
	if err := p.room(region, b); err != nil {
		return err
	}
	return p.deposit(region, b, first, elements)
}

// deposit stores elements of a region in a buffer that is there.
func (p *Placed) deposit(region, b int, first int64, elements []byte) (err error) {
	r, buf := p.p.r, &p.p.r.s.Buffers[b]
	size := int64(buf.Kind.Size())
	n := int64(len(elements)) / size
	if int64(len(elements))%size != 0 || first < 0 || n > r.buffers[b].n || first > r.buffers[b].n-n {
		return fmt.Errorf("region %d of step `%s`: expected elements of %d bytes below number %d, found %d bytes from number %d on",
			region, p.Launch.Label, size, r.buffers[b].n, len(elements), first)
	}
	bound := int64(0)
	if buf.Bounded {
		if bound, err = r.eval(buf.Bound); err != nil {
			return err
		}
	}
	if i, want := offender(elements, buf.Kind, buf.Bounded, bound); i >= 0 {
		return fmt.Errorf("region %d of step `%s`: element %d that came back is no %s", region, p.Launch.Label, first+int64(i), want)
	}
	if r.buffers[b].spool != nil {
		return r.spool(b, elements, first*size, false)
	}
	copy(r.bytes(b)[first*size:], elements)
	return nil
}

// Faults notes the least places of the kernel's sites, as in engine.Args.
func (p *Placed) Faults(places []int64) error {
	if len(places) != len(p.Launch.Sites) {
		return fmt.Errorf("step `%s`: expected places of %d fault sites, found %d", p.Launch.Label, len(p.Launch.Sites), len(places))
	}
	p.p.r.note(p.Launch, places)
	return nil
}

// Here executes outer indices lo..hi on this machine, and fetches what they
// need. After Combined, lo must be the beginning of a block and hi the end of
// one, or Outer; the rows are combined and put in their places.
func (p *Placed) Here(lo, hi int64) error {
	if lo < 0 || lo > hi || hi > p.Outer {
		return fmt.Errorf("step `%s`: expected outer indices within 0..%d, found %d..%d", p.Launch.Label, p.Outer, lo, hi)
	}
	if lo == hi {
		return nil
	}
	switch {
	case p.block != nil:
		return p.combineHere(lo, hi)
	case p.Packing != nil:
		return p.keepHere(lo, hi)
	}
	return p.p.inParts(lo, hi)
}

func (p *Placed) buffer(region int) (int, error) {
	if region < 0 || region >= len(p.Launch.Regions) || p.Launch.Regions[region] < 0 {
		return 0, fmt.Errorf("step `%s` has no buffer behind region %d", p.Launch.Label, region)
	}
	return p.Launch.Regions[region], nil
}

func (p *Placed) written(region int) bool {
	a := p.Compiled.Kernel.Regions[region].Access
	return a == kernel.Write || a == kernel.ReadWrite
}

// room makes room for the whole of a region that is written.
func (p *Placed) room(region, b int) error {
	r := p.p.r
	if in := r.inputs[b]; in != nil && !in.moved {
		return bug("launch %q writes to %s", p.Launch.Label, r.name(b))
	}
	if p.block != nil {
		return nil // there since Combined
	}
	err := r.roomFor(b, p.Compiled.Streams(region))
	r.buffers[b].blocks = 0
	return err
}

// roomFor makes room for the whole of a buffer, in its file if it is spooled.
func (r *runner) roomFor(b int, streams bool) error {
	n, err := r.eval(r.s.Buffers[b].Len)
	switch {
	case err != nil:
		return err
	case r.spools(b, n) && streams:
		return r.spoolRoom(b, n)
	case r.keepsForeign(b):
		return r.roomForeign(b, n, "", false)
	}
	return r.room(b, n, "")
}
