package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	wire "github.com/godwit-run/godwit/internal/cluster/transport/stream"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/run"
)

// firstSource is a program that nobody has seen before: its constant is new.
const firstSource = `fn first(x: &[f32; N]) -> f32 where N: Range<1, 10_000_000> { x.map(|v| v * %d.0).sum() }
`

// firstRows are few: it is the way there and back that is measured.
const firstRows = 4096

// first measures how long it takes from sending a kernel to having its result, when
// the node has never seen it and when it has, beside a bare gRPC round trip.
func first(ctx context.Context, s *session) error {
	f, err := s.startFleet(ctx, 1)
	if err != nil {
		return err
	}
	defer f.close()
	if err := f.load(ctx, "x", firstRows); err != nil {
		return err
	}
	bare, err := f.bare()
	if err != nil {
		return err
	}
	defer bare.Close()
	trip := func(context.Context) (time.Duration, []float64, error) {
		start := time.Now()
		_, err := bare.RoundTrip(make([]byte, 64))
		return time.Since(start), nil, err
	}
	k := &newKernels{c: f.c, set: "x"}
	if err := s.holdMany(ctx, Contest{Name: "kernel never seen", Unit: "ms", Ours: k.next, Against: "bare gRPC round trip, mTLS", Reference: trip}); err != nil {
		return err
	}
	s.note(k.breakdown())
	err = k.with(ctx, func(launch func() error, _ *cluster.Beside) error {
		cached := func(context.Context) (time.Duration, []float64, error) {
			start := time.Now()
			err := launch()
			return time.Since(start), nil, err
		}
		return s.holdMany(ctx, Contest{Name: "kernel cached", Unit: "ms", Ours: cached, Against: "bare gRPC round trip, mTLS", Reference: trip})
	})
	if err != nil {
		return err
	}
	return s.tiers(ctx, f)
}

// bare is a bare gRPC stream with the fleet's kind of certificates.
func (f *fleet) bare() (*wire.Bare, error) {
	id, err := identity.Load(f.dir + "/nodes/n1/identity")
	if err != nil {
		return nil, err
	}
	return wire.NewBare(id)
}

// newKernels sends a kernel that is new each time.
type newKernels struct {
	c     *cluster.Cluster
	set   string // the data set that is summed
	count int
	times []time.Duration
	parts []parcel.Timing
}

// plan makes a program that is new, and its schedule, to be used until done.
func (k *newKernels) plan() (plan *compile.Plan, done func(), err error) {
	k.count++
	p, err := compile.Check(diag.NewSource("first.gw", fmt.Sprintf(firstSource, k.count)))
	if err != nil {
		return nil, nil, err
	}
	fn, err := p.Func("first")
	if err != nil {
		return nil, nil, err
	}
	src, err := k.c.Open(k.set)
	if err != nil {
		return nil, nil, err
	}
	b, err := fn.Bind(compile.Args{"x": compile.Table{Source: src}})
	if err != nil {
		return nil, nil, err
	}
	if plan, err = b.Plan(); err != nil {
		b.Close()
		return nil, nil, err
	}
	return plan, func() { b.Close() }, nil
}

// with calls a new program, and gives use what the call does in the cluster.
func (k *newKernels) with(ctx context.Context, use func(launch func() error, b *cluster.Beside) error) error {
	plan, closePlan, err := k.plan()
	if err != nil {
		return err
	}
	defer closePlan()
	beside, done := k.c.Beside(cluster.Ship), false
	beside.Around = func(launch func() error) error {
		done = true
		return use(launch, beside)
	}
	if _, err := run.Run(ctx, plan.Schedule, plan.Inputs, run.Options{Beside: beside}); err != nil {
		return err
	}
	if !done {
		return fmt.Errorf("the program did not run in the cluster: %v", beside.Stats().Places)
	}
	return nil
}

// settling is how long this process may go on compiling its own part of a new program
// before the clock starts.
const settling = 5 * time.Millisecond

// next is the time of one new kernel, from sending it to having its rows.
func (k *newKernels) next(ctx context.Context) (took time.Duration, _ []float64, err error) {
	err = k.with(ctx, func(launch func() error, b *cluster.Beside) error {
		time.Sleep(settling)
		start := time.Now()
		err := launch()
		took = time.Since(start)
		k.times, k.parts = append(k.times, took), append(k.parts, b.Stats().Timing)
		return err
	})
	return took, nil, err
}

// breakdown says where the time of new kernels went.
func (k *newKernels) breakdown() string {
	part := func(of func(parcel.Timing) uint32) float64 {
		list := make([]float64, len(k.parts))
		for i, p := range k.parts {
			list[i] = float64(of(p))
		}
		return median(list)
	}
	all := float64(median(k.times).Nanoseconds()) / 1e3
	verify := part(func(t parcel.Timing) uint32 { return t.Verify })
	compile := part(func(t parcel.Timing) uint32 { return t.Compile })
	queue := part(func(t parcel.Timing) uint32 { return t.Queue })
	run := part(func(t parcel.Timing) uint32 { return t.Run })
	return fmt.Sprintf("Of %.0f µs for a kernel never seen: verify %.0f, compile %.0f, wait %.0f, run %.0f, and %.0f to transmit, decide and deliver.",
		all, verify, compile, queue, run, all-verify-compile-queue-run)
}
