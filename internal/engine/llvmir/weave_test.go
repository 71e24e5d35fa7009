package llvmir

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/engine/stepper"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// walkKernel is such a kernel, accepted by verify.
func walkKernel(t testing.TB, w kerneltest.Walk) *kernel.Kernel {
	t.Helper()
	k, err := kernel.ParseText(w.Text())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verify.Check(k); err != nil {
		t.Fatal(err)
	}
	return k
}

// TestWalks holds iterations that are interleaved to the stepper's, whatever number of them is under way: none, one, fewer
// than there are, as many, and more; with faults in the middle of walks.
func TestWalks(t *testing.T) {
	b := newBackend(t, 32)
	for _, w := range kerneltest.Walks {
		t.Run(w.Name, func(t *testing.T) {
			k := walkKernel(t, w)
			list := newEmitter(k, b.t, usual).Weaves()
			if len(list) != 1 || list[0].Even != w.Even {
				t.Fatalf("%d loops are interleaved, expected 1, in step %v", len(list), w.Even)
			}
			n, err := b.compile(k)
			if err != nil {
				t.Fatal(err)
			}
			defer n.close()
			rapid.Check(t, func(r *rapid.T) {
				slots := rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, 200), rapid.Int64Range(1000, 2500)).Draw(r, "slots")
				rows := rapid.OneOf(rapid.Int64Range(1, 3), rapid.Int64Range(1, 3000)).Draw(r, "rows")
				n.weave = rapid.SampledFrom([]int{0, 1, 2, 7, 8, 16, MostWeave}).Draw(r, "weave")
				c := kerneltest.WalkCase(k, slots, rows, rapid.Uint64Range(0, 100).Draw(r, "turns"), rapid.Bool().Draw(r, "large"), rapid.Uint64().Draw(r, "seed"))
				n.agreesCut(t, r, c)
			})
		})
	}
}

// TestWalksAsk: what a walk loads next is asked for.
func TestWalksAsk(t *testing.T) {
	for _, w := range kerneltest.Walks {
		text, err := Emit(walkKernel(t, w), Target{VectorBytes: 32, Fma: true})
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text, "call void @llvm.prefetch.p0("); n == 0 {
			t.Errorf("walks %s ask for nothing", w.Name)
		}
		if !strings.Contains(text, fmt.Sprintf("alloca [%d x i64]", MostWeave)) {
			t.Errorf("walks %s have no room for their states", w.Name)
		}
	}
}

// TestSettled: walks that change no more are over, however many turns they are given. The stepper needs as many as change something.
func TestSettled(t *testing.T) {
	b := newBackend(t, 32)
	text := ""
	for _, w := range kerneltest.Walks {
		if strings.HasPrefix(w.Name, "that search") {
			text = w.Text()
		}
	}
	k, err := kernel.ParseText(strings.Replace(text, "scalar i64 0..100", "scalar i64 0..1000000000000", 1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := verify.Check(k); err != nil {
		t.Fatal(err)
	}
	n, err := b.compile(k)
	if err != nil {
		t.Fatal(err)
	}
	defer n.close()
	for _, weave := range []int{0, 8} {
		n.weave = weave
		l := n.load(t, kerneltest.WalkCase(k, 100, 3000, 1e12, false, 1))
		stop := (*int64)(unsafe.Pointer(&l.block[n.lay.Stop]))
		late := time.AfterFunc(10*time.Second, func() { atomic.StoreInt64(stop, 1) })
		l.run(0, l.c.Outer)
		if !late.Stop() {
			t.Fatalf("with %d under way, walks go on without a change", weave)
		}
		want := kerneltest.WalkCase(k, 100, 3000, 40, false, 1)
		ref := &stepper.Args{Sizes: want.Sizes, Scalars: want.Scalars, Regions: want.Regions, Faults: stepper.NewFaults(k.Sites)}
		if _, err := stepper.Run(k, ref, 0, want.Outer); err != nil {
			t.Fatal(err)
		}
		if err := l.compare(want.Regions, ref.Faults); err != nil {
			t.Errorf("with %d under way: %v", weave, err)
		}
	}
}

// TestWalksChoose: what has been loaded chooses where a walk goes next without a branch, if others are under way meanwhile.
func TestWalksChoose(t *testing.T) {
	for _, w := range kerneltest.Walks {
		text, err := Emit(walkKernel(t, w), Target{VectorBytes: 32, Fma: true})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Contains(text, "!unpredictable"), strings.Contains(w.Body, "= select"); got != want {
			t.Errorf("walks %s: choices that no branch makes: %v, expected %v", w.Name, got, want)
		}
	}
}
