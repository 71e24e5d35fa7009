package view

import (
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Patience is how long a run may take before it shows how far it is.
const Patience = time.Second

// Progress shows a bar on a terminal once a run has taken a while.
type Progress struct {
	gate gate
	mu   sync.Mutex
	bar  *progressbar.ProgressBar
}

// gate lets nothing through before its time, so that the bar can count from
// the beginning.
type gate struct {
	w    io.Writer
	from time.Time
	used bool
}

func (g *gate) Write(b []byte) (int, error) {
	if time.Now().Before(g.from) {
		return len(b), nil
	}
	g.used = true
	return g.w.Write(b)
}

// NewProgress starts to count the time.
func NewProgress(w io.Writer) *Progress {
	return &Progress{gate: gate{w: w, from: time.Now().Add(Patience)}}
}

// Report says how many rows are done.
func (p *Progress) Report(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if total <= 0 {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(&p.gate), progressbar.OptionSetDescription("running"),
			progressbar.OptionShowCount(), progressbar.OptionSetItsString("rows"), progressbar.OptionShowIts(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true))
	}
	_ = p.bar.Set64(min(done, total))
}

// Close wipes the bar off.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gate.used {
		_ = p.bar.Clear()
	}
}
