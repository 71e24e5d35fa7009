package mutants

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/engine/llvm"
	"github.com/godwit-run/godwit/internal/engine/llvmir"
	"github.com/godwit-run/godwit/internal/engine/object"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
)

// passes as package codegen runs them over kernels.
const passes = "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(licm),early-cse)"

// native compiles with vectors of all widths: LLVM makes do with what there is.
type native struct {
	machine *llvm.Machine
	fma     bool // the processor has fused multiply-adds
}

// newNative is nil where libLLVM is missing.
func newNative() (*native, error) {
	l, err := llvm.Load()
	if errors.Is(err, llvm.ErrMissing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m, err := l.Machine(l.Host(), 2)
	return &native{m, strings.Contains(l.Host().Features+",", "+fma,")}, err
}

// linked is a kernel's machine code, with a block of arguments that ends at a guard.
type linked struct {
	lay   *llvmir.Layout
	image *object.Image
	entry uintptr
	pages []byte
	block []byte
	work  []byte // nil unless the kernel may compute in tiles
}

func (n *native) link(r *rand.Rand, k *kernel.Kernel) (*linked, error) {
	text, err := llvmir.Emit(k, llvmir.Target{Arch: runtime.GOARCH, VectorBytes: 16 << r.IntN(3), Fma: n.fma})
	if err != nil {
		return nil, err
	}
	o, err := n.machine.Compile([]byte(text), llvm.Options{Form: llvm.Text, Passes: passes})
	if err != nil {
		return nil, err
	}
	image, err := object.Link(o, object.Library)
	if err != nil {
		return nil, err
	}
	l := &linked{lay: llvmir.NewLayout(k), image: image}
	var ok bool
	if l.entry, ok = image.Symbol(llvmir.Function); !ok {
		return nil, fmt.Errorf("the object does not define %s", llvmir.Function)
	}
	page := int64(unix.Getpagesize())
	size := (l.lay.Bytes + page - 1) / page * page
	if l.pages, err = unix.Mmap(-1, 0, int(size+page), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON); err != nil {
		return nil, err
	}
	l.block = l.pages[size-l.lay.Bytes : size]
	if l.lay.Tiled {
		if l.work, err = unix.Mmap(-1, 0, stripBytes+blockBytes+int(page), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON); err != nil {
			return nil, err
		}
		if err := unix.Mprotect(l.work[stripBytes+blockBytes:], unix.PROT_NONE); err != nil {
			return nil, err
		}
		l.put(l.lay.Work, uint64(uintptr(unsafe.Pointer(unsafe.SliceData(l.work)))))
		l.put(l.lay.Strip, stripBytes)
		l.put(l.lay.Block, blockBytes)
	}
	return l, unix.Mprotect(l.pages[size:], unix.PROT_NONE)
}

// The work memory of kernels in tiles, see llvmir.Layout.
const (
	stripBytes = 1 << 20
	blockBytes = 128 << 10
)

func (l *linked) close() {
	if l.work != nil {
		_ = unix.Munmap(l.work)
	}
	_ = unix.Munmap(l.pages)
	_ = l.image.Close()
}

func (l *linked) put(at int64, v uint64) { binary.NativeEndian.PutUint64(l.block[at:], v) }

// run executes a slice over guarded regions; faults are lowered.
func (l *linked) run(c *kerneltest.Case, g *guarded, faults []int64, lo, hi int64) error {
	for i, p := range l.lay.Polys {
		v, _ := kernel.EvalPoly(p, c.Sizes)
		l.put(int64(8*i), uint64(v))
	}
	for i, s := range c.Scalars {
		l.put(l.lay.Scalars+int64(8*i), s)
	}
	start := uintptr(unsafe.Pointer(unsafe.SliceData(g.arena.All())))
	for i, b := range g.bases {
		l.put(l.lay.Bases+int64(8*i), uint64(int64(start)+b))
	}
	for i, f := range faults {
		l.put(l.lay.Faults+int64(8*i), uint64(f))
	}
	l.put(l.lay.Stop, 0)
	object.CallRange(l.entry, unsafe.Pointer(unsafe.SliceData(l.block)), lo, hi)
	for i := range faults {
		faults[i] = int64(binary.NativeEndian.Uint64(l.block[l.lay.Faults+int64(8*i):]))
	}
	return nil
}
