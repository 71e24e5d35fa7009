// Package seen remembers what launches took, and how often data had loops turn, so that what is like them can be expected to
// take as long. It knows times as they were measured and nothing of what was expected: that is worked out anew whenever it
// is asked for, so that a description of a machine may change in between.
package seen

import (
	"container/list"
	"crypto/sha256"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

const (
	// mostPoints is how many different arguments of a kernel are remembered.
	mostPoints = 8
	// mostTimes is how many times are remembered for each.
	mostTimes = 9
	// mostBytes is what all take together, about.
	mostBytes = 1 << 20
	// mostParts is how many loops and sizes of a program are remembered.
	mostParts = 64
)

// Decoding stands for the engine where a Key is a form of files: see OfForm.
const Decoding = "decoding"

// OfForm is what a form of files is known by. Sizes of its points are the bytes and the values that were decoded, and their times are those of
// all workers together.
func OfForm(form string) Key {
	return Key{ID: sha256.Sum256([]byte(form)), Engine: Decoding, Threads: 1}
}

// Making stands for the engine where a Key is the making of native code: see OfMaking.
const Making = "making"

// OfMaking is what the making of native code is known by. Sizes of its points are the instructions of a kernel, and 1 if the compiler was started for it, or
// else 0.
func OfMaking() Key { return Key{Engine: Making, Threads: 1} }

// readying stands before the engine where a Key is what it takes until a kernel can run that is new to a process: see OfReadying.
const readying = "readying "

// OfReadying is what is known of making a kernel as WebAssembly, or of bringing its native code from disk. Its point has no sizes.
func OfReadying(id kernel.ID, engine string) Key {
	return Key{ID: id, Engine: readying + engine, Threads: 1}
}

// OfWay is what a launch of a kernel is known by that reads a data set and goes a way to it: what it takes has the way in it.
func OfWay(id kernel.ID, way string, threads int) Key {
	return Key{ID: sha256.Sum256(append(slices.Clone(id[:]), way...)), Engine: "wasm", Threads: threads}
}

// rented stands for the engine where a Key is what was spent for want of native code: see Rented.
const rented = "rented"

// Rent remembers that a kernel ran in WebAssembly for so many nanoseconds, in a process that made no native code of it.
func (m *Memory) Rent(id kernel.ID, took float64) {
	m.Note(Key{ID: id, Engine: rented, Threads: 1}, Point{}, took)
}

// Rented is what has been remembered of that, the last times together.
func (m *Memory) Rented(id kernel.ID) (sum float64) {
	for _, p := range m.Of(Key{ID: id, Engine: rented, Threads: 1}) {
		for _, took := range p.Took {
			sum += took
		}
	}
	return sum
}

// With is what a program is known by over data of a name.
func With(id kernel.ID, data string) kernel.ID {
	return sha256.Sum256(append(slices.Clone(id[:]), data...))
}

// Stepper is the engine that interprets.
const Stepper = "stepper"

// engines are what a Key has as its engine.
var engines = []string{"wasm", "native", Stepper, readying + "wasm", readying + "native", Decoding, Making, rented}

// Key is a kernel, a form of files, or a program as a whole, where it ran.
type Key struct {
	ID      kernel.ID
	Engine  string // one of engines
	Threads int    // that a kernel ran on: 1, or all that were allowed; of a program, those that were allowed
}

// Point is what runs with the same arguments took.
type Point struct {
	Sizes []int64
	// Scalars are the integers among the arguments; those that were not the same in all runs of a launch, or are no integers,
	// are not Known.
	Scalars []int64
	Known   []bool
	Took    []float64 // nanoseconds of one run each, the newest last
}

// Scalar is the value of a scalar, if it is known.
func (p *Point) Scalar(i int) (int64, bool) {
	if i >= len(p.Known) || !p.Known[i] {
		return 0, false
	}
	return p.Scalars[i], true
}

// Middle is the median of the times.
func (p *Point) Middle() float64 {
	s := slices.Sorted(slices.Values(p.Took))
	return s[len(s)/2]
}

// Apart is by what factors a tenth of the times were below the median, and nine tenths: 1 where there are too few of them.
func (p *Point) Apart() (low, high float64) {
	if !p.Often() {
		return 1, 1
	}
	s := slices.Sorted(slices.Values(p.Took))
	at := func(part float64) float64 { return s[int(math.Round(part*float64(len(s)-1)))] / p.Middle() }
	return at(0.1), at(0.9)
}

const (
	// Runs shorter than brief (ns) tell something only if there are fewTimes of them, since perhaps only the slow ones were noted.
	fewTimes = 3
	brief    = 100e3
)

// Tells reports that the times say what such runs take.
func (p *Point) Tells() bool { return len(p.Took) >= fewTimes || p.Middle() >= brief }

// Least is from how many nanoseconds on a launch is noted.
const Least = 20e3

// Fair reports that runs which are expected to take t nanoseconds are noted whatever they take. Of those that are over sooner only such are noted as
// something kept waiting, which tells nothing of runs of another size.
func (p *Point) Fair(t float64) bool { return t >= brief || t >= Least && p.Often() }

// Often reports that there are enough times that one of a busy machine does not decide.
func (p *Point) Often() bool { return len(p.Took) >= fewTimes }

func (p *Point) like(o *Point) bool {
	return slices.Equal(p.Sizes, o.Sizes) && slices.Equal(p.Scalars, o.Scalars) && slices.Equal(p.Known, o.Known)
}

func (p *Point) bytes() int64 { return 96 + 8*int64(len(p.Sizes)+2*len(p.Scalars)+mostTimes) }

// InOrder are sizes as a Point of a program has them, by their names in order.
func InOrder(sizes map[string]int64) (list []int64) {
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		list = append(list, sizes[name])
	}
	return list
}

// Memory is what is remembered. It is safe for concurrent use; a nil one remembers nothing.
type Memory struct {
	path string  // of the folder that other processes know it by; "" for none
	of   *Memory // that this is without times; nil if it has its own

	mu     sync.Mutex
	read   [256]bool // by first bytes of IDs: what their file has is here
	news   *Memory   // what the files have not, and nothing else
	most   int64     // what bytes may come to
	bytes  int64
	recent list.List // of *entry, the last used first
	by     map[Key]*list.Element
	parts  map[kernel.ID]map[string]float64
}

// entry is what is known of a key, the newest last.
type entry struct {
	key    Key
	points []Point
}

// New remembers in a folder, if it is not "", what later processes are to know.
func New(path string) *Memory {
	m := empty(mostBytes)
	m.path, m.news = path, empty(mostBytes)
	return m
}

// Facts is the same memory without times: what data has decided of, which holds on any machine. What is noted there goes to m.
func (m *Memory) Facts() *Memory {
	if m == nil {
		return nil
	}
	return &Memory{of: m}
}

// empty remembers nothing yet, and knows of no folder.
func empty(most int64) *Memory {
	return &Memory{most: most, by: map[Key]*list.Element{}, parts: map[kernel.ID]map[string]float64{}}
}

func (m *Memory) empty() bool { return len(m.by) == 0 && len(m.parts) == 0 }

// Forget drops all that is here. The files keep what they have, but are not looked at any more.
func (m *Memory) Forget() {
	if m == nil || m.of != nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.news, m.bytes = empty(mostBytes), 0
	for i := range m.read {
		m.read[i] = true
	}
	m.recent.Init()
	clear(m.by)
	clear(m.parts)
}

// Note remembers that a run with the arguments of p took so many nanoseconds. What p refers to must not change.
func (m *Memory) Note(k Key, p Point, took float64) {
	if m == nil || m.of != nil || !isTime(took) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.load(k.ID)
	p.Took = []float64{took}
	m.add(k, p)
	m.news.add(k, p)
}

func isTime(t float64) bool { return t > 0 && t < 1e18 && !math.IsNaN(t) }

// add puts a point behind those that are known of its key.
func (m *Memory) add(k Key, p Point) {
	at := m.by[k]
	if at == nil {
		at = m.recent.PushFront(&entry{key: k})
		m.by[k] = at
	}
	m.recent.MoveToFront(at)
	e := at.Value.(*entry)
	if i := slices.IndexFunc(e.points, func(o Point) bool { return o.like(&p) }); i >= 0 {
		p.Took = last(append(slices.Clone(e.points[i].Took), p.Took...), mostTimes)
		m.bytes -= e.points[i].bytes()
		e.points = slices.Delete(e.points, i, i+1)
	}
	if e.points = append(e.points, p); len(e.points) > mostPoints {
		m.bytes -= e.points[0].bytes()
		e.points = slices.Delete(e.points, 0, 1)
	}
	m.bytes += p.bytes()
	for m.bytes > m.most && m.recent.Len() > 1 {
		m.drop(m.recent.Back())
	}
}

func last[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }

func (m *Memory) drop(at *list.Element) {
	e := m.recent.Remove(at).(*entry)
	delete(m.by, e.key)
	for i := range e.points {
		m.bytes -= e.points[i].bytes()
	}
}

// Of gives what is known of a key, the oldest first. It must not be changed.
func (m *Memory) Of(k Key) []Point {
	if m == nil || m.of != nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.load(k.ID)
	if at := m.by[k]; at != nil {
		m.recent.MoveToFront(at)
		return slices.Clone(at.Value.(*entry).points)
	}
	return nil
}

// Expects reports that a time is what those that are known of a key lead to expect.
func (m *Memory) Expects(k Key, took float64) bool {
	for _, p := range m.Of(k) {
		if p.Often() && took > p.Middle()/usual && took < p.Middle()*usual {
			return true
		}
	}
	return false
}

// usual is by what factor a time differs from the middle of many without telling anything new.
const usual = 1.5

// Found remembers which part of what was possible a loop of a program turned, or a size came to, that data decides of.
func (m *Memory) Found(program kernel.ID, name string, part float64) {
	if m == nil || !(part >= 0 && part <= 1) {
		return
	}
	if m.of != nil {
		m.of.Found(program, name, part)
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.load(program)
	m.found(program, name, part)
	m.news.found(program, name, part)
}

func (m *Memory) found(program kernel.ID, name string, part float64) {
	list := m.parts[program]
	if list == nil {
		for id := range m.parts { // any: there are seldom many
			if int64(len(m.parts)) < m.most/4096 {
				break
			}
			delete(m.parts, id)
		}
		list = map[string]float64{}
		m.parts[program] = list
	}
	if _, ok := list[name]; ok || len(list) < mostParts {
		list[name] = part
	}
}

// Part is what Found has remembered last.
func (m *Memory) Part(program kernel.ID, name string) (part float64, ok bool) {
	if m == nil {
		return 0, false
	}
	if m.of != nil {
		return m.of.Part(program, name)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.load(program)
	part, ok = m.parts[program][name]
	return part, ok
}
