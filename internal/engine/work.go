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

// work is a piece, ownDivision as llvmir.Layout says. What is never written takes no memory.
type work struct {
	bytes []byte
	division
	held left
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
	d := ownDivision()
	b, err := mem.Fresh(max(d.strip, heldRoom()) + d.block)
	if err != nil {
		return nil, fmt.Errorf("engine: memory for tiles: %w", err)
	}
	return &work{bytes: b, division: d}, nil
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

// division is how large the parts for columns and for rows are, and what is read of columns at a time. The rows of a block share
// the second cache with the columns that pass through it, which stay in the first while all these rows meet them. All columns share
// the last with other processors and with the arrays themselves.
type division struct{ strip, block, near int64 }

var ownDivision = sync.OnceValue(func() division { return divide(caches("/sys/devices/system/cpu/cpu0/cache")) })

// mostHeld is how many bytes of strips a thread keeps from slice to slice: the right side of a product of 2,048 × 2,048 f64. A
// larger one is packed again by each slice. A thread keeps its piece, so it is less where memory is short.
const mostHeld = 48 << 20

var heldRoom = sync.OnceValue(func() int64 { return min(mostHeld, mem.Available()/256) })

// What is supposed where the system does not tell.
const (
	usualFirst  = 32 << 10
	usualSecond = 512 << 10
	leastStrip  = 1 << 20
	leastBlock  = 128 << 10
	leastNear   = 4 << 10
)

func divide(c levels) division {
	if c.second == 0 {
		c.second = usualSecond
	}
	if c.first == 0 {
		c.first = usualFirst
	}
	return division{strip: max(c.last/4, c.second/2, leastStrip), block: max(c.second/2, leastBlock), near: max(c.first/2, leastNear)}
}

// levels are the sizes of one processor's first cache for data and of its second, and of its share of the last one behind that; 0 for
// what is not there.
type levels struct{ first, second, last int64 }

func caches(dir string) (c levels) {
	found, _ := filepath.Glob(filepath.Join(dir, "index*"))
	for _, d := range found {
		size := cacheSize(read(filepath.Join(d, "size")))
		switch level := read(filepath.Join(d, "level")); {
		case level == "1":
			if read(filepath.Join(d, "type")) != "Instruction" {
				c.first = size
			}
		case level == "2":
			c.second = size
		case level > "2":
			c.last = max(c.last, size/int64(max(1, listed(read(filepath.Join(d, "shared_cpu_list"))))))
		}
	}
	return c
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
