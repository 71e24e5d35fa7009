package cost

import (
	"math"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// Place is where a region lies.
type Place uint8

// The places.
const (
	Resident Place = iota // in memory, its pages there
	Fresh                 // in memory that nobody has touched yet
	File                  // in a file that the system has in memory, read on the way
	Copied                // in memory that the engine does not reach, copied in windows on the way
)

// Parts are what a run's time is made of, in nanoseconds. Core, chain, memory and random go on at the same time.
type Parts struct {
	Core    float64 // operations
	Chain   float64 // steps that wait for each other
	Memory  float64 // bytes that pass by in order
	Random  float64 // accesses here and there, many at a time
	Chased  float64 // accesses of which each needs the one before
	Fresh   float64 // pages touched first
	Copied  float64 // bytes that are copied to where the engine reaches them
	Mapped  float64 // pages of files that are mapped when they are touched
	Looked  float64 // indices that nobody has compared with their bound
	Decoded float64 // values that are decoded on the way
	Begin   float64 // to begin the launch
	Guessed bool    // data decides how often some part of it runs
}

// Total is the time. Of what goes on at the same time the longest counts, and the more of the others the closer they
// come to it: the cube root of a sum of cubes, which is between the greatest and the sum.
func (p *Parts) Total() float64 {
	most := math.Max(math.Max(p.Core, p.Chain), math.Max(p.Memory, p.Random))
	if most == 0 {
		return p.besides()
	}
	all := 0.0
	for _, x := range [...]float64{p.Core / most, p.Chain / most, p.Memory / most, p.Random / most} {
		all += x * x * x
	}
	return p.besides() + most*math.Cbrt(all)
}

// besides is what does not go on at the same time as anything else.
func (p *Parts) besides() float64 {
	return p.Begin + p.Chased + p.Fresh + p.Copied + p.Mapped + p.Looked + p.Decoded
}

// Dominant names the greatest part.
func (p *Parts) Dominant() string {
	name, most := "to begin", p.Begin
	for _, x := range []struct {
		name string
		time float64
	}{{"operations", p.Core}, {"a chain of steps", p.Chain}, {"memory in order", p.Memory}, {"memory at random", p.Random}, {"memory by references", p.Chased}, {"fresh pages", p.Fresh}, {"copies", p.Copied}, {"mapping a file", p.Mapped}, {"comparing indices with their bound", p.Looked}, {"decoding files", p.Decoded}} {
		if x.time > most {
			name, most = x.name, x.time
		}
	}
	return name
}

// Kind is what is known of the time beforehand, one of machine.Kinds.
func (p *Parts) Kind() string {
	switch {
	case p.Guessed:
		return machine.Guessed
	case p.Random+p.Chased > p.Total()/2:
		return machine.Random
	}
	return machine.Steady
}

// Time is the interval in which the run's time lies, for an engine of a machine that measured it.
func (p *Parts) Time(e *machine.Engine) machine.Spread {
	t, off := p.Total(), e.Within(p.Kind())
	return machine.Spread{P10: t * off[0], P50: t, P90: t * off[1]}
}

// On says how long a run takes on a machine with so many threads. places has one entry for each region; nil for
// Resident.
func (m *Mix) On(mc *machine.Machine, engine string, threads int, places []Place) *Parts {
	e := mc.Engines[engine]
	threads = m.Threads(mc, threads)
	p := &Parts{Begin: e.Launch, Guessed: m.Guessed}
	m.operate(p, TimesOf(mc, e), mc.Share(threads)*m.evenly(threads))
	mem := mc.MemoryFor(threads)
	if e.Random > 1 {
		mem.Random = mem.Random.Slower(e.Random)
	}
	m.memory(p, mem, threads, places)
	m.mapping(p, mc.Ways[machine.ByFaults], threads, places)
	return p
}

// evenly is for which part of the time all of so many threads have something to do: three outer indices take two threads as long as four.
func (m *Mix) evenly(threads int) float64 {
	n, t := float64(m.Outer), float64(threads)
	if threads <= 1 || n < 1 {
		return 1
	}
	return n / t / math.Ceil(n/t)
}

// Threads is how many of so many have something to do.
func (m *Mix) Threads(mc *machine.Machine, threads int) int {
	if m.Sequential {
		return 1
	}
	return max(1, min(threads, mc.Processors, int(min(m.Outer, 1<<16))))
}

// Stepped says how long a run takes that is interpreted.
func (m *Mix) Stepped(mc *machine.Machine, threads int, places []Place) *Parts {
	threads = m.Threads(mc, threads)
	p := &Parts{Core: m.Operations() * mc.Interpret / mc.Share(threads), Guessed: m.Guessed}
	m.memory(p, mc.MemoryFor(threads), threads, places)
	m.mapping(p, mc.Ways[machine.ByFaults], threads, places)
	return p
}

// Times are what operations of each class take on an engine in nanoseconds, and as steps of a chain.
type Times struct {
	class [classes]machine.Class
	step  Steps
}

// TimesOf are an engine's.
func TimesOf(mc *machine.Machine, e *machine.Engine) *Times {
	t := &Times{}
	for c := range classes {
		own := e.Classes[Names[c]]
		if t.class[c] = own; own == (machine.Class{}) { // of a description that is older than the class
			switch c {
			case Fused:
				t.class[c] = e.Classes[Names[Float]]
			case High:
				t.class[c] = e.Classes[Names[Multiply]]
			}
		}
		if t.step[c] = own.Step; own.Step == 0 {
			t.step[c] = latencies[c] * mc.Cycle
		}
	}
	return t
}

// Anew is p, which came of On for one thread, with other times of operations.
func (m *Mix) Anew(p Parts, t *Times) *Parts {
	m.operate(&p, t, 1)
	return &p
}

// operate says what operations and chains take, where threads do so many times as many as one.
func (m *Mix) operate(p *Parts, t *Times, share float64) {
	p.Core, p.Chain = 0, 0
	for c := range classes {
		p.Core += m.Counts[c].One*t.class[c].One + m.Counts[c].Vector*t.class[c].Vector
		p.Chain += m.Chain[c] * t.step[c]
	}
	p.Core, p.Chain = p.Core/share, p.Chain/share
}

// line is what memory moves at a time, in bytes.
const line = 64

// page is what is looked up at a time to find memory, in bytes.
const page = 4 << 10

// cached is a working set that fits into the first cache; what an access takes there belongs to its class.
const cached = 16 << 10

// memory adds what the touches of all regions take.
func (m *Mix) memory(p *Parts, mem machine.Memory, threads int, places []Place) {
	passed, stored := make([]float64, len(m.Regions)), make([]bool, len(m.Regions))
	for _, t := range m.Touches {
		reg := m.Regions[t.Region]
		bytes, elem := float64(reg.Bytes), float64(reg.Elem)
		stored[t.Region] = stored[t.Region] || t.Store
		switch t.Pattern {
		case InOrder:
			passed[t.Region] = math.Min(bytes, passed[t.Region]+t.Count*elem)
		case Strided:
			passed[t.Region] = math.Min(bytes, passed[t.Region]+t.Count*math.Max(elem, math.Min(line, elem*t.Stride)))
			if apart := elem * t.Stride; apart >= line { // each in a line, and up to a page, of its own until it comes round again
				p.Random += t.Count * beyond(mem.Random, bytes/apart*math.Min(apart, page)) / float64(threads)
			}
		case Random:
			span := bytes
			if t.Per > 0 {
				span = math.Min(bytes, t.Per*elem)
			}
			each := mem.Random.At(span).P50 * math.Max(0, 1-cached/span)
			if t.Told {
				each = math.Max(each, beyond(mem.Chase, span)/m.under(&t))
			}
			p.Random += t.Count * each / float64(threads)
		case Chased:
			if t.Woven {
				beside, alone := t.interleaved(mem, bytes, m.Flight, p.Core*float64(threads)/t.Count)
				p.Random += t.Count * beside / float64(threads)
				p.Chased += t.Count * alone / float64(threads)
				continue
			}
			p.Chased += t.Count * math.Max(t.beyond(mem.Random, bytes), t.beyond(mem.Chase, bytes)/math.Max(m.Lanes, m.ahead(t.Count))) / float64(threads)
		}
	}
	all := 0.0
	for _, b := range passed {
		all += b
	}
	for r, b := range passed {
		if b == 0 || m.Regions[r].Access == kernel.Scratch {
			continue
		}
		place := Resident
		if r < len(places) {
			place = places[r]
		}
		if place == Copied {
			p.Copied += b * mem.Copy.At(b).P50
		}
		switch {
		case place == File:
			p.Memory += b * mem.File.At(b).P50
		case stored[r] && place == Fresh:
			p.Fresh += b * mem.Fresh.At(b).P50
		case stored[r]:
			p.Memory += b * mem.Write.At(all).P50
		default:
			p.Memory += b * mem.Read.At(all).P50
		}
	}
}

// around is how many bytes of a file the system maps at a fault, if it has them in memory.
const around = 64 << 10

// mapping adds what it takes to map the pages of files that are touched here and there: fault is the nanoseconds for a byte of a file that
// is brought in by faults, 0 if that was not measured. Of n stretches, k touches anywhere find n·(1 − e^(−k/n)).
func (m *Mix) mapping(p *Parts, fault float64, threads int, places []Place) {
	touches := make([]float64, len(m.Regions))
	for _, t := range m.Touches {
		if (t.Pattern == Random || t.Pattern == Chased) && t.Region < len(places) && places[t.Region] == File {
			touches[t.Region] += t.Count
		}
	}
	for r, k := range touches {
		if n := float64(m.Regions[r].Bytes) / around; k > 0 && n > 0 {
			p.Mapped += n * -math.Expm1(-k/n) * around * fault / float64(threads)
		}
	}
}

// beyond is what an access within a span takes more than one in the first cache.
func beyond(c machine.Curve, span float64) float64 {
	return math.Max(0, c.At(span).P50-c.At(cached).P50)
}
