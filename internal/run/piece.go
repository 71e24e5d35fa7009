package run

import (
	"context"
	"fmt"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/plan/cost"
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
	// counts what is in memory at once, operands that travel and columns
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

func refusal(region int, format string, args ...any) error {
	return &PieceError{Region: region, Msg: fmt.Sprintf(format, args...)}
}

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

// RunPiece executes p. It gives the contents of the Out and InOut operands,
// in order, and for each of the kernel's sites the least place, as in
// engine.Args. Options.Engine must be set; Limits, Beside and Progress are not used.
//
// Errors are a *PieceError or a *MissingError if the piece cannot run, a
// *data.Error, *data.ChangedError or *SpaceError if the data do not allow it, and
// the context's cause.
func RunPiece(ctx context.Context, p *Piece, opt Options) (outs [][]byte, faults []int64, st Stats, err error) {
	start := time.Now()
	if opt.Engine == nil {
		return nil, nil, st, refusal(-1, "a piece needs the engine of its kernel")
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
	m := p.memory(opt.withDefaults())
	m.begin(ctx)
	defer m.close()
	x := &execution{Args: engine.Args{Sizes: p.Sizes, Scalars: p.Scalars, Bases: make([]int64, len(p.Operands))}, m: m, c: p.Kernel, label: "piece",
		outer: p.Kernel.Outer(p.Sizes), places: make([]cost.Place, len(p.Operands))}
	var d did
	if err = (&placing{execution: x, lo: p.Lo, hi: p.Hi, operands: p.Operands}).place(p.Limits.RegionBytes); err == nil {
		d, err = x.run(p.Lo, p.Hi)
	}
	if err == nil {
		err = m.unchanged()
	}
	if err != nil {
		return nil, nil, st, m.cause(err)
	}
	for i, o := range p.Operands {
		if _, ok := Returns(o); ok {
			outs = append(outs, opt.copied(m.bytes(i)))
		}
	}
	st = Stats{Seconds: time.Since(start).Seconds(), BytesRead: m.read.Load(), Threads: m.pool.Size()}
	st.Launches = []LaunchStats{{Label: x.label, Hash: p.Kernel.Hash, Bytes: p.Kernel.Safe.Bytes, Tier: d.tier, Runs: 1, Slices: d.slices, Native: d.native, Totals: d.totals, Seconds: st.Seconds, Expected: d.expected.Times(1e-9), Took: d.seconds}}
	return outs, d.faults, st, nil
}

// copied is bytes in memory of its own. It copies them in parts: the collector of the whole
// process waits for a copy under way.
func (o *Options) copied(from []byte) []byte {
	var to []byte
	if o.Room != nil {
		to = o.Room(len(from))
	} else {
		to = make([]byte, len(from))
	}
	for at := 0; at < len(from); {
		at += copy(to[at:min(at+copyBlock, len(to))], from[at:])
	}
	return to
}

// admit holds the piece to its kernel and its limits before anything is read.
func (p *Piece) admit() error {
	k := p.Kernel.Kernel
	if len(p.Operands) != len(k.Regions) {
		return refusal(-1, "expected %d operands, one for each region, found %d", len(k.Regions), len(p.Operands))
	}
	lens := make([]int64, len(k.Regions))
	for i, o := range p.Operands {
		n, err := wholeOf(o, &k.Regions[i], p.Sizes)
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
		return refusal(-1, "expected outer indices within 0..%d, found %d..%d", n, p.Lo, p.Hi)
	}
	if n, outer := p.Kernel.Safe.Outer.Eval(p.Sizes), p.Hi-p.Lo; p.Limits.Steps > 0 && outer > 0 && n > p.Limits.Steps/outer {
		return refusal(-1, "%d outer indices may need %d steps each, the limit is %d in all; send fewer", outer, n, p.Limits.Steps)
	}
	return nil
}

// memory is that of a piece: buffer i is region i.
func (p *Piece) memory(opt Options) *memory {
	regs := p.Kernel.Kernel.Regions
	m := &memory{opt: opt, eng: opt.Engine, users: apart{}, about: make([]about, len(regs)), buffers: make([]buffer, len(regs)), inputs: make([]*input, len(regs))}
	for i, reg := range regs {
		m.about[i] = about{kind: reg.Elem, name: fmt.Sprintf("`region %d`", i)}
	}
	return m
}

// apart are users that stay in the arena.
type apart struct{}

func (apart) reach(int) bool { return false }

func (apart) extend(int, *SpaceError) bool { return false }
