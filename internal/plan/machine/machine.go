// Package machine says what a machine can do, in times that were measured on it: how long
// operations take on each engine, and how long memory takes by how much of it is in use. It
// knows neither kernels nor plans. A description is a file that people can read and edit, see
// Parse and Machine.Text.
package machine

import (
	"math"
	"slices"
	"time"
)

// Spread is a measured time: half of the measurements were below P50, a tenth below P10, and a
// tenth above P90. The unit is the holder's.
type Spread struct{ P10, P50, P90 float64 }

// Exactly is a time without a spread.
func Exactly(t float64) Spread { return Spread{t, t, t} }

// Of is the spread of measurements; their order does not matter.
func Of(times []float64) Spread {
	s := slices.Sorted(slices.Values(times))
	if len(s) == 0 {
		return Spread{}
	}
	at := func(p float64) float64 { return s[int(math.Round(p*float64(len(s)-1)))] }
	return Spread{at(0.1), at(0.5), at(0.9)}
}

// Plus adds times that follow each other. Their spreads add too: what makes one slow often makes
// the other slow.
func (s Spread) Plus(t Spread) Spread { return Spread{s.P10 + t.P10, s.P50 + t.P50, s.P90 + t.P90} }

// Times is n times the same.
func (s Spread) Times(n float64) Spread { return Spread{s.P10 * n, s.P50 * n, s.P90 * n} }

// nineTenths is how many standard deviations above the median nine tenths of a normal distribution end.
const nineTenths = 1.2816

// Mean is the mean of times whose logarithms are spread normally: far above the median where little is known.
func (s Spread) Mean() float64 {
	if s.P90 <= s.P50 || s.P50 <= 0 {
		return s.P50
	}
	sigma := math.Log(s.P90/s.P50) / nineTenths
	return s.P50 * math.Exp(sigma*sigma/2)
}

// Point is one measurement of a curve.
type Point struct {
	At   float64 // how much, mostly bytes
	Time Spread  // nanoseconds for one unit, mostly a byte or an access
}

// Curve is a time by an amount, in ascending order of amounts.
type Curve []Point

// At is the time for an amount. Between two measurements it follows the straight line
// through their logarithms; beyond the last it stays.
func (c Curve) At(amount float64) Spread {
	if len(c) == 0 {
		return Spread{}
	}
	i, found := slices.BinarySearchFunc(c, amount, func(p Point, a float64) int {
		switch {
		case p.At < a:
			return -1
		case p.At > a:
			return 1
		}
		return 0
	})
	switch {
	case found, i == 0:
		return c[i].Time
	case i == len(c):
		return c[i-1].Time
	}
	a, b := c[i-1], c[i]
	part := math.Log(amount/a.At) / math.Log(b.At/a.At)
	between := func(x, y float64) float64 {
		if x <= 0 || y <= 0 {
			return x + (y-x)*part
		}
		return x * math.Pow(y/x, part)
	}
	return Spread{between(a.Time.P10, b.Time.P10), between(a.Time.P50, b.Time.P50), between(a.Time.P90, b.Time.P90)}
}

// Slower is the same with all times so many times as long.
func (c Curve) Slower(times float64) Curve {
	out := slices.Clone(c)
	for i := range out {
		out[i].Time = out[i].Time.Times(times)
	}
	return out
}

// Machine is what was measured of one machine.
type Machine struct {
	Name       string
	Measured   string // when, RFC 3339; "" for what was not measured on this machine
	By         string // the node of this machine that has measured it; "" if it was not a node. No description has it
	Processors int
	// Cycle is what a step of a chain takes in which each needs the one before, in nanoseconds.
	Cycle float64
	// Wake is how long it takes until another thread helps, in nanoseconds.
	Wake float64
	// Hand is how long that takes if the thread is awake; as long as Wake where it was not measured.
	Hand float64
	// Together is how many times as many operations all processors do in a time as one of them alone: fewer than they are where some of them
	// share a core. Processors if it was not measured.
	Together float64
	// Interpret is how long an operation of a kernel takes that is interpreted, in nanoseconds.
	Interpret float64
	// Touch is the first write to a page, in nanoseconds a byte: page by page, and where the system was asked
	// for huge pages. Zero if that was not measured.
	Touch [2]float64
	// Ways is how long a byte of a file takes that the system has in memory, in nanoseconds, by ByRead, ByMapping and
	// ByFaults. Zeros if that was not measured.
	Ways [3]float64
	// Decode is what it takes to bring values that are stored in a form into memory, by the form: see data.Stored. What is
	// not there was not measured, and is taken from the forms that are like it; see Decoding.
	Decode map[string]Decode
	// Memory is by threads, 1 and all, since they share it; see Memory.
	Memory map[int]Memory
	// Link is the way to the nodes of a cluster, as far as nobody knows better.
	Link Link
	// Far is likewise the way to far memory; nil if it is not told from Link.
	Far *Link
	// Engines are by name, "wasm" and "native"; one that is not there was not measured.
	Engines map[string]*Engine
}

// Memory is the time that memory takes, by how many bytes are in use.
type Memory struct {
	Read   Curve // nanoseconds for a byte read in order
	Write  Curve // for a byte written in order to pages that are there
	Fresh  Curve // for a byte written to pages that are not yet there
	Random Curve // for an access that waits for no other
	Chase  Curve // for an access whose place is what the one before found
	File   Curve // for a byte of a file that the system has in memory, read in order
	// Copy is for a byte of a caller's memory that is copied in windows to where WebAssembly reaches it, and Whole for one of what
	// is copied before a kernel begins. As long as a byte of a file where it was not measured.
	Copy, Whole Curve
}

// Link is how long it takes to reach another machine, in nanoseconds.
type Link struct {
	RoundTrip Spread // of a short parcel and its answer
	Byte      Spread // for a byte of many
	Parcel    Spread // for each parcel of many under way
	Near      Spread // for a byte of rows that are read where the node has them, in this machine's memory; zero where they come in parcels
	NearFirst Spread // likewise of those that this process has not read yet, which it compares with their checksums
	NearOpen  Spread // to ask a node where the rows of a shard are, and to open their file
}

// Way is the way to the nodes of a cluster, or to those that are far memory.
func (m *Machine) Way(far bool) Link {
	if far && m.Far != nil {
		return *m.Far
	}
	return m.Link
}

// Engine is how long code of one engine takes when memory does not hold it up.
type Engine struct {
	VectorBytes int
	Call        float64 // nanoseconds for a call, besides its launches
	Launch      float64 // for a launch, besides its kernel
	Compile     float64 // for a kernel that is new, of as many instructions as those of calibration; see Making
	Kept        float64 // to bring native code from disk that an earlier process has made; 0 of other engines
	// Random is how many times as long as memory says an access waits that waits for no other, where the engine has fewer of them under way than that with
	// which memory was measured; 1 for that engine.
	Random float64
	// Classes are nanoseconds for an operation of each class, by its name: for one value, and for a vector of them.
	Classes map[string]Class
	// Error is by how much measured times were off, as a factor above 1: of the programs that were measured nine in ten
	// took at most so many times as long as expected, and at least a fraction of as much.
	Error float64
	// Off has, by what was known beforehand, the factors of the expected time that a tenth and nine tenths of measured times
	// were below: see Steady and those after it. What is not there follows from Error.
	Off map[string][2]float64
}

// What is known beforehand: of code that no data steers and that reads memory in order; of code that reads it elsewhere; of code
// of which data decides how often it runs; and of a kernel that ran with the same arguments, with those of half the size, and
// an eighth.
const (
	Steady  = "steady"
	Random  = "random"
	Guessed = "guessed"
	Same    = "same"
	Half    = "half"
	Eighth  = "eighth"
)

// Kinds are all that Engine.Off may have.
var Kinds = []string{Steady, Random, Guessed, Same, Half, Eighth}

// shares are by which part of Error's logarithm a time is off, where Off does not say. What was seen says much.
var shares = map[string]float64{Steady: 1, Random: 1, Guessed: 2, Same: 0.2, Half: 0.4, Eighth: 0.7}

// Within gives the factors of an expected time between which eight of ten times lie.
func (e *Engine) Within(kind string) [2]float64 {
	if off, ok := e.Off[kind]; ok {
		return off
	}
	off := math.Pow(e.Error, shares[kind])
	return [2]float64{1 / off, off}
}

// Away is Within for what took so many doublings less or more than is expected.
func (e *Engine) Away(doublings float64) (off [2]float64) {
	from, to, part := Same, Half, doublings
	if doublings > 1 {
		from, to, part = Half, Eighth, min(1, (doublings-1)/2)
	}
	a, b := e.Within(from), e.Within(to)
	for i := range off {
		off[i] = a[i] * math.Pow(b[i]/a[i], part)
	}
	return off
}

// Class is the time of one operation in nanoseconds: on one value, on a vector of them, and until another operation can use its result,
// which is 0 if it was not measured.
type Class struct{ One, Vector, Step float64 }

// HugePages reports whether memory for results should be asked for in huge pages: where it was measured that they
// are filled sooner.
func (m *Machine) HugePages() bool { return m.Touch[1] < m.Touch[0] }

// Making is how long it takes to make code of a kernel of so many instructions: those of calibration have 25, about, and the same is done
// for each kernel that four of them take.
func (e *Engine) Making(instructions int) float64 { return e.Compile * Larger(instructions) }

// Larger is how many times as long as for a kernel of calibration it takes to make code of one of so many instructions.
func Larger(instructions int) float64 { return (4 + float64(instructions)) / 29 }

// Trial is how many steps of a run of a kernel of so many instructions are interpreted before WebAssembly is made of it, which takes so long: as many as in that
// time. A step of a large kernel takes longer, since its values leave the cache.
func (m *Machine) Trial(instructions int) (steps int64, making time.Duration) {
	e := m.Engines["wasm"]
	if e == nil {
		return 0, 0
	}
	all := min(e.Making(instructions), mostTried*e.Compile)
	return int64(min(all/m.Interpret, 1<<40)), time.Duration(min(all, float64(time.Second)))
}

// mostTried is how many times as long as to make code of a kernel of calibration one is interpreted at most.
const mostTried = 8

// Promotion is how long it takes to make native code of a kernel of calibration; 0 if that was not measured.
func (m *Machine) Promotion() time.Duration {
	if e := m.Engines["native"]; e != nil {
		return time.Duration(e.Compile)
	}
	return 0
}

// The ways in which a file gets to a kernel, as machine.toml lists them.
const (
	ByRead    = iota // read() into memory of the worker
	ByMapping        // where the file is mapped, all pages of a stretch at once
	ByFaults         // likewise, but each page, or what the file system keeps together, when the kernel comes to it
)
