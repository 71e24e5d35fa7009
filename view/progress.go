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
	w     io.Writer
	start time.Time

	mu  sync.Mutex
	bar *progressbar.ProgressBar
}

// NewProgress starts to count the time.
func NewProgress(w io.Writer) *Progress { return &Progress{w: w, start: time.Now()} }

// Report says how many rows are done.
func (p *Progress) Report(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if total <= 0 || p.bar == nil && time.Since(p.start) < Patience {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(p.w), progressbar.OptionSetDescription("running"),
			progressbar.OptionShowCount(), progressbar.OptionSetItsString("rows"), progressbar.OptionShowIts(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true))
	}
	_ = p.bar.Set64(min(done, total))
}

// Close wipes the bar off.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
