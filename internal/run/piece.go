package run

import (
	"context"
	"fmt"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// Piece is outer indices Lo..Hi of one kernel over operands that need to hold
// only what these touch. Nothing in it is trusted except Kernel, which is one of
// the engine that runs it.
type Piece struct {
	Kernel   *engine.Compiled
	Sizes    []int64
	Scalars  []uint64
	Lo, Hi   int64
	Operands []Operand // one per region of the kernel
	// Limits hold for this piece: steps are those of Lo..Hi, and RegionBytes
	// counts what is in memory at once, operands with Bytes or Count and columns
	// that cannot pass through in windows.
	Limits engine.Limits
}

// PieceError says that a piece does not fit its kernel, or takes more than its
// limits.
type PieceError struct {
	Region int // -1 if it is not about one
	Msg    string
	Err    error // the cause, if another package reported one
}

func (e *PieceError) Error() string {
	if e.Region < 0 {
		return e.Msg
	}
	return fmt.Sprintf("region %d: %s", e.Region, e.Msg)
}

func (e *PieceError) Unwrap() error { return e.Err }

// MissingError says that a kernel touches elements that are not at hand.
type MissingError struct {
	Region             int
	NeedFirst, NeedEnd int64
	HaveFirst, HaveEnd int64
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("region %d: expected elements %d up to %d, found %d up to %d; run these outer indices where the elements are",
		e.Region, e.NeedFirst, e.NeedEnd, e.HaveFirst, e.HaveEnd)
}

// within makes sure that what outer indices lo..hi touch of a region lies in
// elements first..end.
func within(c *engine.Compiled, region int, sizes []int64, lo, hi, first, end int64) error {
	a, b := c.Reach(region, sizes, lo, hi)
	if a < b && (a < first || b > end) {
		return &MissingError{region, a, b, first, end}
	}
	return nil
}

// RunPiece executes p. It gives the contents of the Written and InOut operands,
// in order, and for each of the kernel's sites the least place, as in
// engine.Args. Options.Engine must be set; Limits, Beside and Progress are not used.
//
// Errors are a *PieceError or a *MissingError if the piece cannot run, a
// *data.Error, *data.ChangedError or *SpaceError if the data do not allow it, and
// the context's cause.
func RunPiece(ctx context.Context, p *Piece, opt Options) (outs [][]byte, faults []int64, st Stats, err error) {
	start := time.Now()
	if opt.Engine == nil {
		return nil, nil, st, &PieceError{Region: -1, Msg: "a piece needs the engine of its kernel"}
	}
	opt.Limits, opt.Beside, opt.Progress = p.Limits, nil, nil
	if err := p.admit(); err != nil {
		return nil, nil, st, err
	}
	if opt.Stretch == 0 && p.Kernel.Brief(p.Sizes, p.Hi-p.Lo) {
		opt.Threads = 1
	}
	if err := opt.Claim.Await(ctx); err != nil { // before anything is taken that others need
		return nil, nil, st, err
	}
	r, l := p.runner(ctx, opt.withDefaults())
	defer func() {
		if cerr := r.close(); err == nil {
			err = cerr
		}
	}()
	if err = l.placeOperands(p); err == nil {
		err = l.run()
	}
	if err == nil {
		err = r.unchanged()
	}
	if err != nil {
		return nil, nil, st, r.cause(crowded(l.l, err))
	}
	for i := range p.Operands {
		if p.Operands[i].Written || p.Operands[i].InOut {
			outs = append(outs, copied(r.bytes(i)))
		}
	}
	st = Stats{Seconds: time.Since(start).Seconds(), BytesRead: r.read.Load(), Threads: r.pool.Size()}
	st.Launches = []LaunchStats{{Label: l.l.Label, Hash: p.Kernel.Hash, Bytes: p.Kernel.Bytes, Tier: r.ranOn(p.Kernel, l.job), Runs: 1, Slices: l.job.Slices(), Native: l.job.Native(), Totals: l.totals(), Seconds: st.Seconds}}
	return outs, l.job.Faults(), st, nil
}

// copied is bytes in memory of its own. It copies them in parts: the collector of the whole
// process waits for a copy under way.
func copied(from []byte) []byte {
	to := make([]byte, len(from))
	for at := 0; at < len(from); {
		at += copy(to[at:min(at+copyBlock, len(to))], from[at:])
	}
	return to
}

// admit holds the piece to its kernel and its limits before anything is read.
func (p *Piece) admit() error {
	k := p.Kernel.Kernel
	if len(p.Operands) != len(k.Regions) {
		return &PieceError{Region: -1, Msg: fmt.Sprintf("expected %d operands, one for each region, found %d", len(k.Regions), len(p.Operands))}
	}
	lens := make([]int64, len(k.Regions))
	for i := range p.Operands {
		n, err := p.Operands[i].whole(&k.Regions[i], p.Sizes)
		if err != nil {
			return &PieceError{Region: i, Msg: err.Error(), Err: err}
		}
		lens[i] = n
	}
	each := engine.Limits{OuterSteps: p.Limits.OuterSteps, ScratchBytes: p.Limits.ScratchBytes}
	if err := p.Kernel.Safe.Admit(p.Sizes, p.Scalars, lens, each); err != nil {
		return &PieceError{Region: -1, Msg: err.Error(), Err: err}
	}
	if n := p.Kernel.Outer(p.Sizes); p.Lo < 0 || p.Lo > p.Hi || p.Hi > n {
		return &PieceError{Region: -1, Msg: fmt.Sprintf("expected outer indices within 0..%d, found %d..%d", n, p.Lo, p.Hi)}
	}
	if n, outer := p.Kernel.Safe.Outer.Eval(p.Sizes), p.Hi-p.Lo; p.Limits.Steps > 0 && outer > 0 && n > p.Limits.Steps/outer {
		return &PieceError{Region: -1, Msg: fmt.Sprintf("%d outer indices may need %d steps each, the limit is %d in all; send fewer", outer, n, p.Limits.Steps)}
	}
	return nil
}

// runner is the state of a run of nothing but the piece. Buffer i is region i.
func (p *Piece) runner(ctx context.Context, opt Options) (*runner, *launching) {
	k := p.Kernel.Kernel
	s := &schedule.Schedule{Buffers: make([]schedule.Buffer, len(k.Regions))}
	l := &schedule.Launch{Kernel: k, Label: "piece", Regions: make([]int, len(k.Regions))}
	for i, reg := range k.Regions {
		s.Buffers[i] = schedule.Buffer{Name: fmt.Sprintf("region %d", i), Kind: reg.Elem}
		l.Regions[i] = i
	}
	r := &runner{s: s, in: &Inputs{}, opt: opt, eng: opt.Engine, buffers: make([]buffer, len(k.Regions)), inputs: make([]*input, len(k.Regions))}
	r.ctx, r.cancel = context.WithCancelCause(ctx)
	r.pool = engine.NewPool(opt.Threads)
	return r, &launching{r: r, l: l, c: p.Kernel, sizes: p.Sizes, scalars: p.Scalars, outer: p.Kernel.Outer(p.Sizes),
		lo: p.Lo, hi: p.Hi, bases: make([]int64, len(k.Regions))}
}

// placeOperands brings in what the piece needs, or notes that it passes through
// in windows.
func (l *launching) placeOperands(p *Piece) error {
	bytes := int64(0)
	for i := range p.Operands {
		if l.c.Kernel.Regions[i].Access == kernel.Scratch {
			continue
		}
		n, err := l.bindOperand(i, &p.Operands[i])
		if err != nil {
			return err
		}
		if bytes += n; bytes > l.r.opt.Resident {
			return l.r.tooLarge(i, bytes, " for the operands up to it")
		}
		if p.Limits.RegionBytes > 0 && bytes > p.Limits.RegionBytes {
			return &PieceError{Region: -1, Msg: fmt.Sprintf("its operands take %d bytes, the limit is %d", bytes, p.Limits.RegionBytes)}
		}
	}
	if err := l.settleLocal(p); err != nil {
		return err
	}
	for i, in := range l.r.inputs {
		if in != nil && in.plan == whole {
			if err := l.r.settle(i); err != nil {
				return err
			}
		}
		l.bases[i] = l.r.base(i)
	}
	return nil
}

// settleLocal makes one area for all operands that are not stored, and fills
// it.
func (l *launching) settleLocal(p *Piece) error {
	const align = 64
	size, first := int64(0), -1
	for i := range p.Operands {
		if o := &p.Operands[i]; o.local() {
			buf := &l.r.buffers[i]
			buf.off = size // from the area's beginning, for now
			size += (buf.n*int64(l.c.Kernel.Regions[i].Elem.Size()) + align - 1) &^ (align - 1)
			if first < 0 {
				first = i
			}
		}
	}
	if size == 0 {
		return nil
	}
	area, err := l.r.reserve(first, size, "", l.r.eng.Arena().Alloc)
	if err != nil {
		return err
	}
	l.r.buffers[first].span = area // whoever drops the first frees the area
	for i := range p.Operands {
		if !p.Operands[i].local() {
			continue
		}
		l.r.buffers[i].off += area.Off
		if err := l.fillOperand(i, &p.Operands[i]); err != nil {
			return err
		}
	}
	return nil
}
