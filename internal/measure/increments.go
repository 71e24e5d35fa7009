package measure

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"time"

	wire "github.com/godwit-run/godwit/internal/cluster/transport/stream"
	"github.com/godwit-run/godwit/internal/cluster/transport/ucx"
	columns "github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
)

// This file measures the target-side increment: a number goes to a node, which adds to it what lies there, and comes back. The
// parcels are those that a call sends, recorded once and sent again under other numbers, so what is measured is the way from
// a parcel's bytes to its answer's: transport, admission, kernel, answer. It is held against active messages of UCX
// written in C, on the same machine in the same run.

//go:embed peer/am.c
var amSource []byte

// incrementRows is the length of the table next, of which row i has i + 1: to follow it adds one.
const (
	incrementRows  = 1 << 12
	manyIncrements = 4096 // in one parcel
	// underWay is how many parcels wait for their answer when rates are measured.
	underWay = 64
)

// carriage is one way of parcels to a node, and what it is held against.
type carriage struct {
	name    string
	fabric  string // of the node and of this process; none if empty
	rings   bool
	c       *peer // nil where there is none
	against string
}

func increments(ctx context.Context, s *session) error {
	ways := []*carriage{{name: "gRPC"}, {name: "ring", rings: true}}
	if err := ucx.Installed(); err != nil {
		s.note("SKIPPED: parcels over UCX: " + err.Error() + ".")
	} else {
		ways = append(ways, &carriage{name: "UCX, shm", fabric: "bench=shm"}, &carriage{name: "UCX, tcp", fabric: "bench=tcp:lo"})
	}
	if err := s.messengers(ctx, ways); err != nil {
		return err
	}
	defer func() {
		for _, w := range []*carriage{ways[0], ways[len(ways)-1]} { // others have the same ones
			if w.c != nil {
				w.c.close()
			}
		}
	}()
	for _, w := range ways {
		if err := s.incrementsOver(ctx, w); err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	s.note(fmt.Sprintf("Round trips are medians of parcels one after the other, rates those of %d parcels under way, each of which is answered; messages in C go one way, unanswered.", underWay))
	return nil
}

// messengers starts the programs in C. Where UCX's headers are missing there are none.
func (s *session) messengers(ctx context.Context, ways []*carriage) error {
	if _, err := compiler(); err != nil {
		s.note("SKIPPED: active messages in C: there is no C compiler.")
		return nil
	}
	if _, err := os.Stat("/usr/include/ucp/api/ucp.h"); err != nil {
		s.note("SKIPPED: active messages in C: UCX's headers are not installed (Debian: libucx-dev).")
		return nil
	}
	program, err := compileC(ctx, s.dir, "am", amSource, "-lucp", "-lucs")
	if err != nil {
		return err
	}
	begin := func(env ...string) (*peer, error) {
		return startProgram(ctx, program, append(env, "UCX_LOG_LEVEL=fatal")...)
	}
	shared, err := begin("UCX_TLS=shm,self")
	if err != nil {
		return err
	}
	for _, w := range ways {
		w.c, w.against = shared, "UCX active messages in C, shm"
	}
	if last := ways[len(ways)-1]; last.fabric != "" {
		if last.c, err = begin("UCX_TLS=tcp,self", "UCX_NET_DEVICES=lo"); err != nil {
			return err
		}
		last.against = "UCX active messages in C, tcp"
	}
	return nil
}

// incrementsOver measures one way of parcels.
func (s *session) incrementsOver(ctx context.Context, w *carriage) error {
	var flags []string
	if !w.rings {
		flags = append(flags, "--no-rings")
	}
	if w.fabric != "" {
		flags = append(flags, "--fabric="+w.fabric)
	}
	f, err := s.startFleetAs(ctx, "cluster-"+filepath.Base(w.name[:3])+w.fabric, nil, 1, flags...)
	if err != nil {
		return err
	}
	defer f.close()
	r, err := f.record(ctx)
	if err != nil {
		return err
	}
	b, err := f.bumper(w, r)
	if err != nil {
		return err
	}
	defer b.close()
	if err := b.reach(ctx); err != nil {
		return err
	}
	round, rate := 1000, 5000
	if s.opt.Quick {
		round, rate = 400, 2000
	}
	var medians []time.Duration
	for _, k := range []struct {
		name string
		what *recorded
	}{
		{"refused", r.refused}, {"preinstalled", r.preinstalled}, {"kernel cached", r.cached},
	} {
		var mine []time.Duration
		err := s.hold(ctx, Contest{
			Name: fmt.Sprintf("%s, %s: round trip", w.name, k.name), Unit: "µs", Against: w.against,
			Ours: func(ctx context.Context) (time.Duration, []float64, error) {
				d, err := b.trips(ctx, k.what, round)
				mine = append(mine, d)
				return d, nil, err
			},
			Reference: w.asked("trips", round, 1),
		})
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
		medians = append(medians, median(mine))
	}
	for _, k := range []struct {
		name    string
		what    *recorded
		parcels int
	}{
		{"preinstalled", r.preinstalled, rate}, {"kernel cached", r.cached, rate}, {fmt.Sprintf("kernel cached, %d a parcel", manyIncrements), r.many, rate / 100},
	} {
		err := s.hold(ctx, Contest{
			Name: fmt.Sprintf("%s, %s: rate", w.name, k.name), Unit: "M/s", Against: w.against, Bytes: 1000 * int64(k.parcels*k.what.states), // of which a billion a second is a million increments

			Ours: func(ctx context.Context) (time.Duration, []float64, error) {
				d, err := b.rate(ctx, k.what, k.parcels)
				return d, nil, err
			},
			Reference: w.asked("rate", 20*round, float64(k.parcels*k.what.states)/float64(20*round)),
		})
		if err != nil {
			return fmt.Errorf("%s: %w", k.name, err)
		}
	}
	if err := s.uncached(ctx, w, r); err != nil {
		return err
	}
	ns := func(d time.Duration) int64 { return d.Nanoseconds() }
	s.note(fmt.Sprintf("%s, in ns: a parcel that the node refuses goes there and back in %d; with admission, a preinstalled function and its answer %d more; with a kernel in its place %d more.",
		w.name, ns(medians[0]), ns(medians[1]-medians[0]), ns(medians[2]-medians[1])))
	return nil
}

// asked has the program in C do n increments, and takes that many times as long for done.
func (w *carriage) asked(what string, n int, times float64) Runner {
	if w.c == nil {
		return nil
	}
	return func(context.Context) (time.Duration, []float64, error) {
		d, right, err := w.c.ask("%s %d", what, n)
		if err == nil && (len(right) != 1 || right[0] != 1) {
			err = fmt.Errorf("the counter is not what was sent")
		}
		return time.Duration(float64(d) * times), nil, err
	}
}

// uncached is a kernel that the node has never seen, from its first parcel to its answer.
func (s *session) uncached(ctx context.Context, w *carriage, r *recorder) error {
	if !w.rings {
		return nil // the caller is a client: it has streams and rings
	}
	for i := range 2*s.pairs() + settled {
		took, err := r.fresh(ctx, i)
		if err != nil {
			return err
		}
		if i >= settled {
			r.times = append(r.times, took)
		}
	}
	row := found(w.name+", kernel never seen: first parcel to answer", "µs", Number(float64(median(r.times))/1e3), len(r.times))
	s.report.Rows = append(s.report.Rows, row)
	return nil
}

// incrementSource is a program that adds to each start what lies at the target, as often as steps says.
const incrementSource = `fn bump(next: &[idx<N>; N], starts: &[idx<N>; M], steps: u32) -> [idx<N>; M]
where N: Range<1, 1_000_000_000>, M: Range<1, 1_000_000>, steps: Range<0, %d>
{
    starts.map(|s| {
        let mut i = s;
        for _ in 0..steps { i = next[i]; }
        i
    })
}
`

// incrementer is the program with a bound, which makes another kernel of it.
func incrementer(bound int) (*compile.Func, error) {
	p, err := compile.Check(diag.NewSource("bump.gw", fmt.Sprintf(incrementSource, bound)))
	if err != nil {
		return nil, err
	}
	return p.Func("bump")
}

// starts are those of a parcel, 0, 1, 2 and so on, none of them the last row.
func starts(n int) []int64 {
	list := make([]int64, n)
	for i := range list {
		list[i] = int64(i) % (incrementRows/2 - 1) // all in the first shard
	}
	return list
}

// incremented holds a result against the starts.
func incremented(c *columns.Column, n int) error {
	for i, at := range starts(n) {
		if got := int64(columns.Get(c.Kind, c.Data, int64(i))); got != at+1 {
			return fmt.Errorf("increment %d of %d gave %d", i, at, got)
		}
	}
	return nil
}

// bumper sends recorded parcels over one way.
func (f *fleet) bumper(w *carriage, r *recorder) (*bumper, error) {
	o, err := f.bumping(w)
	if err != nil {
		return nil, err
	}
	b := &bumper{self: o.Self, to: r.node, way: w, answered: make(chan error, 1)}
	if b.net, err = wire.New(o, b); err != nil {
		return nil, err
	}
	b.net.Know(r.addresses)
	return b, nil
}
