package godwit

import (
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
	"github.com/godwit-run/godwit/internal/run"
)

// In: a call that went well. Out: what its launches took, and what it took besides them, for predictions to come. What is over
// sooner than that takes to note is not noted.

// Forget drops what earlier calls took, and how often their loops turned, so that predictions are cold again until
// calls have taught this runtime anew. What other processes know stays.
func (r *Runtime) Forget() { r.shop().seen.Forget() }

// seen is what calls with these options know of earlier ones, and tell later ones: where a machine was described, what data has decided of, and
// no times. They were taken on this machine, by plans that are made for it.
func (o *options) seen() *seen.Memory {
	m := o.runtime.shop().seen
	if o.given != nil && o.given != machine.Here() {
		return m.Facts()
	}
	return m
}

// memory is the file beside the objects in which processes tell each other what launches took; "" where there are none.
func (c *compiler) memory() string {
	if c.dir == "" {
		return ""
	}
	return c.dir + ".seen"
}

// clearly is how many times as long as a kernel takes to be made ready a launch takes that tells of its kernel, although others were made
// ready while it ran: as WebAssembly, or as native code, by a compiler that works on the same processors.
const clearly = 10

// mostlyDecoded is how many times as long as its kernel a launch may decode arguments and still tell of the kernel.
const mostlyDecoded = 4

// remember notes what a call took. beside says how launches went to data sets; nil where there are none.
func remember(known *seen.Memory, p *compile.Plan, eng *engine.Engine, st *run.Stats, threads int, beside *travelled) {
	if st.Seconds < 2*run.Telling {
		return
	}
	made(known, eng)
	rest, on, mixed := st.Seconds, engine.Tier(""), false // on native code if any launch is
	var ways []Strategy
	if beside != nil {
		went := beside.went
		schedule.Launches(st.Schedule.Steps, func(l *schedule.Launch) { ways = append(ways, went(l)) })
	}
	for i := range st.Launches {
		l := &st.Launches[i]
		if l.Runs == 0 {
			continue
		}
		rest -= l.Seconds
		if took := eng.Rent(l.Hash); took > 0 {
			known.Rent(l.Hash, float64(took))
		}
		if i < len(ways) && ways[i] != "" {
			mixed = true
			if took := l.Seconds - l.Compile; l.Runs == 1 && l.Sizes != nil && !beside.code {
				known.Note(seen.OfWay(l.Hash, string(ways[i]), run.Threads(0)), seen.Point{Sizes: l.Sizes}, took*1e9)
			}
			continue
		}
		crowded := l.Crowded*clearly > l.Seconds-l.Compile
		for tier, took := range l.Paces {
			if !crowded || tier == engine.Native { // which it goes on as when its own has been made
				learn(known, l, tier, took, st.First, threads)
			}
		}
		if on == "" || l.Tier == engine.Native {
			on = l.Tier
		}
		if mixed = mixed || l.Stepped > 0; l.Stepped > 0 && l.Sizes != nil && l.Decoded == 0 {
			known.Note(seen.Key{ID: l.Hash, Engine: seen.Stepper, Threads: 1}, point(l), l.SteppedSeconds/float64(l.Stepped)*1e9)
		}
		if crowded || l.Beside > 0 || l.Stepped > 0 && l.Decoded > 0 || l.Native != 0 && l.Native != l.Slices {
			mixed = true
			continue
		}
		if took := l.Seconds - l.Compile - l.Decoded - l.SteppedSeconds; took > l.Decoded/mostlyDecoded && l.Runs > l.Stepped {
			learn(known, l, l.Tier, took/float64(l.Runs-l.Stepped), st.First, threads)
		}
	}
	if !st.First && !mixed && (on == engine.Wasm || on == engine.Native) {
		known.Note(seen.Key{ID: p.Program.ID(st.Schedule), Engine: string(on), Threads: max(threads, run.Threads(0))}, seen.Point{Sizes: seen.InOrder(p.Inputs.Sizes)}, rest*1e9)
	}
	for _, d := range st.Decoded {
		known.Note(seen.OfForm(d.Form), seen.Point{Sizes: []int64{int64(d.Bytes), int64(d.Values)}}, d.Seconds*1e9)
	}
	if len(st.Parts) > 0 {
		id := p.Program.ID(st.Schedule)
		own := seen.With(id, p.Inputs.Name())
		for name, part := range st.Parts {
			known.Found(id, name, part)
			known.Found(own, name, part)
		}
	}
}

// travelled is how a call went to data sets.
type travelled struct {
	went func(*schedule.Launch) Strategy
	code bool // nodes were sent code, which they had to make ready: what the call took tells nothing of those after it, for which it is there
}

// learn notes what a run of a launch takes on a tier, in seconds. first says that others were made ready while it ran.
func learn(known *seen.Memory, l *run.LaunchStats, on engine.Tier, took float64, first bool, threads int) {
	if l.Sizes == nil || first && took*float64(l.Runs)*1e9 < clearly*machine.Here().Engines["wasm"].Compile {
		return
	}
	if l.Threads == 1 {
		threads = 1
	}
	known.Note(seen.Key{ID: l.Hash, Engine: string(on), Threads: threads}, point(l), took*1e9)
}

func point(l *run.LaunchStats) seen.Point {
	p := seen.Point{Sizes: l.Sizes, Scalars: make([]int64, len(l.Scalars)), Known: l.Lasts}
	for i, bits := range l.Scalars {
		p.Scalars[i] = int64(bits)
	}
	return p
}

// made notes what it took to make native code, and to have kernels ready otherwise: that of a kernel only as long as it says something new, since the
// first run of any kernel would else have the file of memories written.
func made(known *seen.Memory, eng *engine.Engine) {
	for _, m := range eng.Made() {
		starts := int64(0)
		if m.Starts {
			starts = 1
		}
		known.Note(seen.OfMaking(), seen.Point{Sizes: []int64{int64(m.Instructions), starts}}, float64(m.Took))
	}
	for _, r := range eng.Readied() {
		if key := seen.OfReadying(r.ID, string(r.Tier)); !known.Expects(key, float64(r.Took)) {
			known.Note(key, seen.Point{}, float64(r.Took))
		}
	}
}
