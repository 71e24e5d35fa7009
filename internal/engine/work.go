package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"github.com/godwit-run/godwit/internal/engine/mem"
)

// In: runs of native code that computes in tiles, as of a product of matrices. Out: memory for what tiles read, in
// the order in which they do, for as long as a run lasts. Invariant: no two runs have the same memory.

// works are the pieces that no run has. There are as many as threads have been at work at the same time.
var works struct {
	mu   sync.Mutex
	free []*work
}

// work is a piece, divided as llvmir.Layout says. What is never written takes no memory.
type work struct {
	bytes        []byte
	strip, block int64
	held         left
}

// left is what a run has left in a piece for its next slice; see llvmir.Layout.
type left struct {
	run    uint64 // see Args.Run
	code   *nativeCode
	number int64
}

// room is what there is for strips.
func (w *work) room() int64 { return int64(len(w.bytes)) - w.block }

func (w *work) address() int64 { return int64(uintptr(unsafe.Pointer(unsafe.SliceData(w.bytes)))) }

// borrowWork gives a piece, one in which the run has left something if there is one.
func borrowWork(run uint64, code *nativeCode) (*work, error) {
	works.mu.Lock()
	defer works.mu.Unlock()
	if n := len(works.free); n > 0 {
		at := max(0, slices.IndexFunc(works.free, func(w *work) bool { return w.holds(run, code) != 0 }))
		w := works.free[at]
		works.free = slices.Delete(works.free, at, at+1)
		return w, nil
	}
	strip, block := division()
	b, err := mem.Fresh(max(strip, heldRoom()) + block)
	if err != nil {
		return nil, fmt.Errorf("engine: memory for tiles: %w", err)
	}
	return &work{bytes: b, strip: strip, block: block}, nil
}

// holds is the number of what the run has left; 0 if it is nothing.
func (w *work) holds(run uint64, code *nativeCode) int64 {
	if run == 0 || w.held.run != run || w.held.code != code {
		return 0
	}
	return w.held.number
}

func (w *work) giveBack() {
	works.mu.Lock()
	works.free = append(works.free, w)
	works.mu.Unlock()
}

// division is how large the parts for columns and for rows are. What the rows of a block read shares the second
// cache with what passes through it, and what the columns read shares the last with other processors and with the
// arrays themselves.
var division = sync.OnceValues(func() (strip, block int64) {
	return divide(caches("/sys/devices/system/cpu/cpu0/cache"))
})

// mostHeld is how many bytes of strips a thread keeps from slice to slice: the right side of a product of 2,048 × 2,048 f64. A
// larger one is packed again by each slice. A thread keeps its piece, so it is less where memory is short.
const mostHeld = 48 << 20

var heldRoom = sync.OnceValue(func() int64 { return min(mostHeld, mem.Available()/256) })

// What is supposed where the system does not tell.
const (
	usualSecond = 512 << 10
	leastStrip  = 1 << 20
	leastBlock  = 128 << 10
)

func divide(second, last int64) (strip, block int64) {
	if second == 0 {
		second = usualSecond
	}
	return max(last/4, second/2, leastStrip), max(second/4, leastBlock)
}

// caches are the sizes of one processor's second cache, and of its share of the last one behind that; 0 for what is
// not there.
func caches(dir string) (second, last int64) {
	levels, _ := filepath.Glob(filepath.Join(dir, "index*"))
	for _, d := range levels {
		size := cacheSize(read(filepath.Join(d, "size")))
		switch level := read(filepath.Join(d, "level")); {
		case level == "2":
			second = size
		case level > "2":
			last = max(last, size/int64(max(1, listed(read(filepath.Join(d, "shared_cpu_list"))))))
		}
	}
	return second, last
}

func read(file string) string {
	b, _ := os.ReadFile(file)
	return strings.TrimSpace(string(b))
}

// cacheSize is what "1024K" or "32M" stands for.
func cacheSize(text string) int64 {
	unit := int64(1)
	for suffix, bytes := range map[string]int64{"K": 1 << 10, "M": 1 << 20, "G": 1 << 30} {
		if n, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = n, bytes
		}
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return n * unit
}

// listed is how many processors a list such as "0-3,8" has.
func listed(list string) (n int) {
	for part := range strings.SplitSeq(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		lo, err1 := strconv.Atoi(first)
		hi, err2 := strconv.Atoi(last)
		if err1 == nil && err2 == nil && hi >= lo {
			n += hi - lo + 1
		}
	}
	return n
}
