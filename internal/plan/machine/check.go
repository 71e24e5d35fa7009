package machine

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// threads are the numbers of threads for which memory was measured, ascending.
func (m *Machine) threads() []int { return slices.Sorted(maps.Keys(m.Memory)) }

// Share is how many times as many operations so many threads do in a time as one alone.
func (m *Machine) Share(threads int) float64 {
	if m.Processors < 2 || threads < 2 || m.Together == 0 {
		return float64(threads)
	}
	return 1 + (m.Together-1)*float64(threads-1)/float64(m.Processors-1)
}

// MemoryFor is the memory as so many threads share it: that of the nearest number that was measured from
// below.
func (m *Machine) MemoryFor(threads int) Memory {
	list := m.threads()
	best := list[0]
	for _, n := range list {
		if n <= threads {
			best = n
		}
	}
	return m.Memory[best]
}

func (m *Machine) check() error {
	switch {
	case m.Processors < 1 || m.Processors > 1<<16:
		return fmt.Errorf("processors = %d: expected 1 to 65536", m.Processors)
	case !isTime(m.Cycle):
		return fmt.Errorf("cycle_ns = %v: expected a time above 0 and below 1e15", m.Cycle)
	case !isTime(m.Wake):
		return fmt.Errorf("wake_ns = %v: expected a time above 0 and below 1e15", m.Wake)
	case m.Together != 0 && !(m.Together >= 1 && m.Together <= float64(m.Processors)):
		return fmt.Errorf("together = %v: expected 1 to processors, %d", m.Together, m.Processors)
	case !isTime(m.Interpret):
		return fmt.Errorf("interpret_ns = %v: expected a time above 0 and below 1e15", m.Interpret)
	case !isTime(m.Hand):
		return fmt.Errorf("hand_ns = %v: expected a time above 0 and below 1e15", m.Hand)
	case m.Touch != [2]float64{} && (!isTime(m.Touch[0]) || !isTime(m.Touch[1])):
		return fmt.Errorf("touch_ns = %v: expected two times above 0 and below 1e15, or two zeros for what was not measured", m.Touch)
	case m.Ways != [3]float64{} && (!isTime(m.Ways[0]) || !isTime(m.Ways[1]) || !isTime(m.Ways[2])):
		return fmt.Errorf("file_ns = %v: expected three times above 0 and below 1e15, or three zeros for what was not measured", m.Ways)
	case len(m.Memory) == 0:
		return fmt.Errorf("there is no [[memory]]: expected one for 1 thread, and one for all")
	case m.Engines["wasm"] == nil:
		return fmt.Errorf("there is no [engine.wasm]: every kernel begins there")
	}
	for _, form := range slices.Sorted(maps.Keys(m.Decode)) {
		if !decodes(form) {
			return fmt.Errorf("decode_ns.%q: expected csv, jsonl, or parquet or arrow with how it is compressed, as \"parquet zstd\"", form)
		}
		if d := m.Decode[form]; !isTime(d.Byte) || !isTime(d.Value) {
			return fmt.Errorf("decode_ns.%q = %v: expected two times above 0 and below 1e15, for a byte and for a value", form, []float64{d.Byte, d.Value})
		}
	}
	for name, l := range map[string]*Link{"link": &m.Link, "far": m.Far} {
		if l == nil {
			continue
		}
		for _, t := range []Spread{l.RoundTrip, l.Byte, l.Parcel} {
			if !t.isTime() {
				return fmt.Errorf("[%s] %v: expected three ascending times above 0 and below 1e15 for each of round_trip_ns, byte_ns and parcel_ns", name, t)
			}
		}
	}
	for _, n := range m.threads() {
		if n < 1 {
			return fmt.Errorf("[[memory]] threads = %d: expected at least 1", n)
		}
		if err := m.Memory[n].check(); err != nil {
			return fmt.Errorf("[[memory]] for %d threads: %w", n, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Engines)) {
		if name != "wasm" && name != "native" {
			return fmt.Errorf("[engine.%s]: the engines are wasm and native", name)
		}
		if err := m.Engines[name].check(); err != nil {
			return fmt.Errorf("[engine.%s]: %w", name, err)
		}
	}
	return nil
}

func isTime(t float64) bool { return t > 0 && t < 1e15 && !math.IsNaN(t) }

func (s Spread) isTime() bool {
	return isTime(s.P10) && isTime(s.P50) && isTime(s.P90) && s.P10 <= s.P50 && s.P50 <= s.P90
}

func (x Memory) check() error {
	for _, c := range []struct {
		name  string
		curve Curve
	}{{"read", x.Read}, {"write", x.Write}, {"fresh", x.Fresh}, {"random", x.Random}, {"chase", x.Chase}, {"file", x.File}, {"copy", x.Copy}, {"whole", x.Whole}} {
		if len(c.curve) == 0 {
			return fmt.Errorf("%s is missing: expected rows such as [65536, 0.02, 0.02, 0.03]", c.name)
		}
		for i, p := range c.curve {
			t := p.Time
			switch {
			case !isTime(p.At) || i > 0 && p.At <= c.curve[i-1].At:
				return fmt.Errorf("%s, row %d: expected an amount above that of the row before, found %v", c.name, i+1, p.At)
			case !t.isTime():
				return fmt.Errorf("%s, row %d: expected three ascending times above 0 and below 1e15, found %v", c.name, i+1, t)
			}
		}
	}
	return nil
}

func (e *Engine) check() error {
	if e.VectorBytes < 8 || e.VectorBytes > 256 || e.VectorBytes&(e.VectorBytes-1) != 0 {
		return fmt.Errorf("vector_bytes = %d: expected a power of two from 8 to 256", e.VectorBytes)
	}
	if e.Kept < 0 || e.Kept != 0 && !isTime(e.Kept) {
		return fmt.Errorf("expected kept_ns of at least 0 and below 1e15")
	}
	if e.Random < 1 || e.Random > 100 || math.IsNaN(e.Random) {
		return fmt.Errorf("random = %v: expected a factor from 1 to 100", e.Random)
	}
	if e.Error < 1 || !isTime(e.Error) || !isTime(e.Call) || !isTime(e.Launch) || !isTime(e.Compile) {
		return fmt.Errorf("expected error of at least 1, and call_ns, launch_ns and compile_ns above 0 and below 1e15")
	}
	for _, kind := range slices.Sorted(maps.Keys(e.Off)) {
		if off := e.Off[kind]; !slices.Contains(Kinds, kind) || !isTime(off[0]) || !isTime(off[1]) || off[0] > 1 || off[1] < 1 {
			return fmt.Errorf("off.%s = %v: expected a factor of at most 1 and one of at least 1, for one of %v", kind, off, Kinds)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Classes)) {
		if s := e.Classes[name].Step; s != 0 && !isTime(s) {
			return fmt.Errorf("step_ns.%s: expected a time above 0 and below 1e15, found %v", name, s)
		}
		if c := e.Classes[name]; !isTime(c.One) || !isTime(c.Vector) {
			return fmt.Errorf("class_ns.%s: expected two times above 0, found %v", name, []float64{c.One, c.Vector})
		}
	}
	return nil
}
