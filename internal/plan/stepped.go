package plan

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan/cost"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// In: a launch of WebAssembly, which reaches so many bytes and no more. Out: whether it is interpreted because what it needs as a
// whole is more than that, and how long it takes then.

// beyond is how many bytes a launch needs as a whole, if they are more than WebAssembly reaches; 0 if they are not.
func (p *predictor) beyond(l *schedule.Launch) (bytes float64) {
	if p.engine != "wasm" || p.opt.Reach == 0 {
		return 0
	}
	counted := map[int]bool{}
	for _, b := range l.Regions {
		if b < 0 || counted[b] || p.s.Buffers[b].Input != nil && p.streams(b) {
			continue
		}
		counted[b] = true
		bytes += p.bytes(b)
	}
	if bytes <= float64(p.opt.Reach) {
		return 0
	}
	return bytes
}

// interpret expects a launch to be interpreted.
func (p *predictor) interpret(l *schedule.Launch, c *Coming, bytes, runs float64, guessed bool) {
	m, mix := p.opt.Machine, cost.Of(c.Safe, c.Sizes, c.given(), EngineOf(seen.Stepper, 0))
	p.wrote(l, mix.Values)
	parts := mix.Stepped(m, p.opt.Threads, p.places(l))
	parts.Guessed, parts.Looked = parts.Guessed || guessed, p.look(l, c, runs)
	threads := mix.Threads(m, p.opt.Threads)
	p.out.Threads = max(p.out.Threads, threads)
	const gib = 1 << 30
	why := fmt.Sprintf("interpreting, as %.1f GiB are more than the %.1f that WebAssembly reaches", bytes/gib, float64(p.opt.Reach)/gib)
	p.add(l, Step{Label: l.Label, Runs: runs, Threads: threads, Time: parts.Time(m.Engines[p.engine]).Times(runs), Most: why, Parts: *parts})
}
