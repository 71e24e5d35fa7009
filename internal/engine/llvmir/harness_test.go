package llvmir

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/engine/llvm"
	"github.com/godwit-run/godwit/internal/engine/object"
	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// passes as package codegen runs them over kernels.
const passes = "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(licm),early-cse)"

// backend compiles for this machine.
type backend struct {
	m *llvm.Machine
	t Target
	limits
	weave int // iterations under way
}

func newBackend(tb testing.TB, vectorBytes int) *backend {
	tb.Helper()
	l, err := llvm.Load()
	if errors.Is(err, llvm.ErrMissing) {
		tb.Skip("SKIPPED: libLLVM 19 is not installed (Debian: libllvm19)")
	}
	if err != nil {
		tb.Fatal(err)
	}
	m, err := l.Machine(l.Host(), 2)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(m.Close)
	return &backend{m, Target{Arch: runtime.GOARCH, VectorBytes: vectorBytes, Fma: strings.Contains(l.Host().Features, "+fma,")}, usual, 0}
}

// native is a kernel as machine code.
type native struct {
	k     *kernel.Kernel
	lay   *Layout
	image *object.Image
	entry uintptr
	weave int
	slots int64 // see division; 0 for the usual
	safe  *verify.Safe
}

func (b *backend) compile(k *kernel.Kernel) (*native, error) {
	text, err := emit(k, b.t, b.limits)
	if err != nil {
		return nil, err
	}
	o, err := b.m.Compile([]byte(text), llvm.Options{Form: llvm.Text, Passes: passes})
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, kernel.Text(k))
	}
	image, err := object.Link(o, object.Library)
	if err != nil {
		return nil, err
	}
	entry, ok := image.Symbol(Function)
	if !ok {
		return nil, fmt.Errorf("the object does not define %s", Function)
	}
	n := &native{k: k, lay: NewLayout(k), image: image, entry: entry, weave: b.weave}
	if len(n.lay.Indices) > 0 { // others need not verify
		if n.safe, err = verify.Check(k); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func (n *native) close() { _ = n.image.Close() }

// guarded is memory outside of Go's, up to the end of a page behind which
// nothing may be touched.
func guarded(tb testing.TB, bytes int64) []byte {
	_, b := guardedBehind(tb, bytes)
	return b
}

// guardedBehind gives also what lies before it, a page at least, which nothing may be stored to.
func guardedBehind(tb testing.TB, bytes int64) (before, b []byte) {
	page := int64(unix.Getpagesize())
	size := (bytes+page-1)&^(page-1) + page
	m, err := unix.Mmap(-1, 0, int(size+page), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err == nil {
		err = unix.Mprotect(m[size:], unix.PROT_NONE)
	}
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = unix.Munmap(m) })
	return m[: size-bytes : size-bytes], m[size-bytes : size : size]
}

// loaded is a case with its regions and its block in memory.
type loaded struct {
	c       *kerneltest.Case
	n       *native
	regions [][]byte
	before  [][]byte // what lies before each region
	block   []byte
	work    []byte
}

// division is that of the work memory: a strip takes a tile of 48 columns of f32 with so many slots, a block one of 8 rows, so there
// are several of larger products.
func (n *native) division() (strip, block int64) {
	slots := n.slots
	if slots == 0 {
		slots = 12800
	}
	return 48 * 4 * slots, 8 * 4 * slots
}

// near is such that lanes of more than 16 steps of 48 columns of f32 are folded apart, and pieces have 32 steps.
func (n *native) near() int64 { return 32 * 48 * 4 }

func (n *native) load(tb testing.TB, c *kerneltest.Case) *loaded {
	l := &loaded{c: c, n: n, block: guarded(tb, n.lay.Bytes)}
	for i, p := range n.lay.Polys {
		v, _ := kernel.EvalPoly(p, c.Sizes)
		l.put(int64(8*i), uint64(v))
	}
	for i, s := range c.Scalars {
		l.put(n.lay.Scalars+int64(8*i), s)
	}
	for i, length := range c.Lens() {
		before, r := guardedBehind(tb, length*int64(c.Kernel.Regions[i].Elem.Size()))
		copy(r, c.Regions[i])
		l.regions, l.before = append(l.regions, r), append(l.before, before)
		l.put(n.lay.Bases+int64(8*i), uint64(uintptr(unsafe.Pointer(unsafe.SliceData(r)))))
	}
	for i := range c.Kernel.Sites {
		l.put(n.lay.Faults+int64(8*i), math.MaxInt64)
	}
	l.put(n.lay.Stop, 0)
	l.put(n.lay.Weave, uint64(n.weave))
	if n.lay.Tiled {
		strip, block := n.division()
		l.work = guarded(tb, 3*strip+block)
		for i := range l.work {
			l.work[i] = 0xff // nothing may depend on it: these are NaNs
		}
		l.put(n.lay.Work, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(l.work)))))
		l.put(n.lay.Strip, uint64(strip))
		l.put(n.lay.Room, uint64(3*strip))
		l.put(n.lay.Block, uint64(block))
		l.put(n.lay.Near, uint64(n.near()))
	}
	return l
}

func (l *loaded) put(at int64, v uint64) { binary.NativeEndian.PutUint64(l.block[at:], v) }

func (l *loaded) run(lo, hi int64) {
	for i, r := range l.c.Kernel.Regions {
		if r.Access == kernel.Scratch {
			clear(l.regions[i])
		}
	}
	for i, r := range l.n.lay.Indices {
		_, end, _ := l.n.safe.Footprint[r].Range(l.c.Sizes, lo, hi)
		l.put(l.n.lay.Ends+int64(8*i), uint64(end))
	}
	object.CallRange(l.n.entry, unsafe.Pointer(unsafe.SliceData(l.block)), lo, hi)
}

// canonical gives all NaNs one form.
func canonical(k num.Kind, b []byte) []byte {
	out := bytes.Clone(b)
	column.CanonicalNaN(k, out)
	return out
}

// agree compiles the kernel of a case and compares, see agrees.
func (b *backend) agree(tb testing.TB, c *kerneltest.Case, cuts ...int64) error {
	n, err := b.compile(c.Kernel)
	if err != nil {
		return err
	}
	defer n.close()
	return n.agrees(tb, c, cuts...)
}

// agrees runs a case natively, cut at the given outer indices, and by the
// stepper, cut alike, and compares everything they wrote.
func (n *native) agrees(tb testing.TB, c *kerneltest.Case, cuts ...int64) error {
	want, err := step(c.Spoil(), cuts...)
	if err != nil {
		return err
	}
	return n.gives(tb, want)
}

// stepped is what the stepper makes of a case, cut at some outer indices.
type stepped struct {
	c       *kerneltest.Case
	cuts    []int64
	regions [][]byte
	faults  []int64
}

func step(c *kerneltest.Case, cuts ...int64) (*stepped, error) {
	ref := &stepper.Args{Sizes: c.Sizes, Scalars: c.Scalars, Regions: c.Clone().Regions, Faults: stepper.NewFaults(c.Kernel.Sites)}
	s := &stepped{c, append(cuts, c.Outer), ref.Regions, ref.Faults}
	lo := int64(0)
	for _, hi := range s.cuts {
		if _, err := stepper.Run(c.Kernel, ref, lo, hi); err != nil {
			return nil, fmt.Errorf("stepper: %w", err)
		}
		lo = hi
	}
	return s, nil
}

// gives runs a case natively, cut alike, and compares everything that was written.
func (n *native) gives(tb testing.TB, want *stepped) error {
	l := n.load(tb, want.c)
	lo := int64(0)
	for _, hi := range want.cuts {
		l.run(lo, hi)
		lo = hi
	}
	return l.compare(want.regions, want.faults)
}

// agreesCut holds that a case agrees, cut at an outer index that is drawn.
func (n *native) agreesCut(tb testing.TB, r *rapid.T, c *kerneltest.Case) {
	tb.Helper()
	var cuts []int64
	if c.Outer > 1 {
		cuts = append(cuts, rapid.Int64Range(0, c.Outer).Draw(r, "cut"))
	}
	if err := n.agrees(tb, c, cuts...); err != nil {
		r.Fatal(err)
	}
}

func (l *loaded) compare(want [][]byte, faults []int64) error {
	for i, r := range l.c.Kernel.Regions {
		if at := slices.IndexFunc(l.before[i], func(b byte) bool { return b != 0 }); at >= 0 {
			return fmt.Errorf("something was stored %d bytes before region %d", len(l.before[i])-at, i)
		}
		if r.Access == kernel.Scratch {
			continue
		}
		got, want := canonical(r.Elem, l.regions[i]), canonical(r.Elem, want[i])
		n := r.Elem.Size()
		for j := 0; j < len(got); j += n {
			if !bytes.Equal(got[j:j+n], want[j:j+n]) {
				return fmt.Errorf("region %d (%s) element %d is %x, want %x", i, r.Elem, j/n, got[j:j+n], want[j:j+n])
			}
		}
	}
	for i, f := range faults {
		if got := int64(binary.NativeEndian.Uint64(l.block[l.n.lay.Faults+int64(8*i):])); got != f {
			return fmt.Errorf("fault at site %d is %d, want %d", i, got, f)
		}
	}
	return nil
}
