package measure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: arrays in a process of far memory. Out: how long calls into it take. The first part is the example of CXLMemUring: a and b of N numbers,
// filled in turn by glibc's rand, and calls of which number k gives a[b[k]] + a[b[k+1]] + a[b[k+2]] + a[b[k+3]], summed with wrap around.

const farCalls = `fn calls<K: Size>(a: &[i32; N]%[1]s, b: &[idx<N>; N]%[1]s) -> i32
where N: Range<4, 1_000_000_000>, K: Range<0, 1_000_000_000>, K + 3 <= N
{
    (0..K).map(|k| a[b[k]] +%% a[b[k + 1]] +%% a[b[k + 2]] +%% a[b[k + 3]]).fold(0i32, |s, x| s +%% x)
}
`

// farSums are what it comes to with a hundred million numbers.
var farSums = map[int]int32{250_000: -1520289353, 2_500_000: 193843754}

// farMemory is a process of far memory of a fleet.
type farMemory struct {
	cmd *exec.Cmd
}

// startFar starts far memory, and waits until the cluster has it.
func (f *fleet) startFar(ctx context.Context, program, name, size string, latency time.Duration) (*farMemory, error) {
	m := &farMemory{exec.Command(program, "far", "--cluster", f.dir, "--name", name, "--size", size, "--latency", latency.String())}
	m.cmd.Stderr = os.Stderr
	m.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := m.cmd.Start(); err != nil {
		return nil, err
	}
	line, _ := bufio.NewReader(out).ReadString('\n') // what came before the end is not the line
	go func() { _, _ = io.Copy(io.Discard, out) }()
	for until := time.Now().Add(15 * time.Second); strings.HasPrefix(line, "far memory"); time.Sleep(10 * time.Millisecond) {
		for _, n := range f.c.View().Nodes {
			if n.Far && n.Name == name {
				return m, nil
			}
		}
		if time.Now().After(until) || ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(fmt.Errorf("far memory did not start: %q", line), m.close())
}

func (m *farMemory) close() error {
	_ = m.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	err := m.cmd.Wait()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 130 { // interrupted
		return nil
	}
	return err
}

// far measures calls into far memory.
func far(ctx context.Context, s *session) (err error) {
	f, err := s.startFleet(ctx, 1, "--ttl", "60s") // threads that spin leave others little time
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	c, err := godwit.Connect(ctx, f.dir, godwit.ConnectOptions{})
	if err != nil {
		return err
	}
	defer c.Close()
	rt, err := s.runtime(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	b := &farBed{s: s, f: f, opts: []godwit.Option{godwit.WithRuntime(rt), godwit.WithCluster(c)}}
	if err := b.calls(ctx); err != nil {
		return err
	}
	return b.links(ctx)
}

// farBed is a fleet, and how its programs are called.
type farBed struct {
	s    *session
	f    *fleet
	opts []godwit.Option
}

func (b *farBed) calls(ctx context.Context) error {
	n, counts := 100_000_000, []int{250_000, 2_500_000}
	if b.s.opt.Quick {
		n, counts = 10_000_000, counts[:1]
	}
	b.s.progress("filling two arrays of %d", n)
	x, y := make([]int32, n), make([]int32, n)
	r := newRand()
	for i := range x {
		x[i] = int32(r.next() % uint32(n))
		y[i] = int32(r.next() % uint32(n))
	}
	m, err := b.f.startFar(ctx, b.s.opt.Program, "calls", "2GiB", 0)
	if err != nil {
		return err
	}
	defer m.close()
	cols := []data.Column{{Name: "a", Kind: num.I32, Stored: "int32"}, {Name: "b", Kind: num.I32, Stored: "int32"}}
	if _, err := b.f.c.Load(ctx, data.FromBytes("ab", cols, int64(n), [][]byte{bytesOf32(x), bytesOf32(y)}, nil), "ab", cluster.LoadOptions{Far: true}); err != nil {
		return err
	}
	away, err := function(fmt.Sprintf(farCalls, " @ Far"))
	if err != nil {
		return err
	}
	here, err := function(fmt.Sprintf(farCalls, ""))
	if err != nil {
		return err
	}
	for _, k := range counts {
		loop := func(context.Context) (time.Duration, []float64, error) {
			start := time.Now()
			sum := callsFrom(x, y, 0, k)
			return time.Since(start), []float64{float64(sum)}, nil
		}
		if want, known := farSums[k]; known && n == 100_000_000 && callsFrom(x, y, 0, k) != want {
			return fmt.Errorf("%d calls come to %d, expected %d", k, callsFrom(x, y, 0, k), want)
		}
		ours := Call(away, godwit.Args{"a": godwit.Text("@ab#a"), "b": godwit.Text("@ab#b"), "K": k}, number, b.opts...)
		some := min(k, 20_000)
		for _, r := range []Contest{
			{Against: "a loop here", Reference: loop},
			{Against: "godwit with the arrays here", Reference: Call(here, godwit.Args{"a": x, "b": y, "K": k}, number, b.opts...)},
			{Against: "a channel of one call, that spins", Reference: scaled(channel(x, y, some, false), float64(k)/float64(some))},
			{Against: "a channel of one call, that sleeps", Reference: scaled(channel(x, y, some, true), float64(k)/float64(some))},
		} {
			r.Name, r.Unit, r.Ours = fmt.Sprintf("%d calls into far memory", k), "ms", ours
			if strings.HasPrefix(r.Against, "a channel") { // its sum is looked at where it is made
				r.Ours = scaled(ours, 1)
			}
			if err := b.s.holdFew(ctx, r); err != nil {
				return err
			}
		}
	}
	return nil // what is there goes with its process
}

// callsFrom sums up the calls lo..hi.
func callsFrom(a, b []int32, lo, hi int) (sum int32) {
	for k := lo; k < hi; k++ {
		sum += a[b[k]] + a[b[k+1]] + a[b[k+2]] + a[b[k+3]]
	}
	return sum
}

func bytesOf32(xs []int32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(xs))), 4*len(xs))
}

// glibc is the rand of glibc with its usual seed.
type glibc struct {
	r  [34]uint32
	at int
}

func newRand() *glibc {
	g := &glibc{}
	x := int64(1)
	g.r[0] = 1
	for i := 1; i < 31; i++ {
		x = 16807 * x % 2147483647
		g.r[i] = uint32(x)
	}
	copy(g.r[31:], g.r[:3])
	for range 310 {
		g.next()
	}
	return g
}

// next keeps the last 34 numbers in a ring, the oldest at at.
func (g *glibc) next() uint32 {
	n := len(g.r)
	v := g.r[(g.at+n-3)%n] + g.r[(g.at+n-31)%n]
	g.r[g.at] = v
	g.at = (g.at + 1) % n
	return v >> 1
}
