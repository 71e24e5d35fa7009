package view

import (
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Patience is how long something may take before it shows how far it is.
const Patience = time.Second

// Progress shows a bar on a terminal once something has taken a while. The bar counts from
// the beginning.
type Progress struct {
	w     io.Writer
	what  string
	unit  string
	from  time.Time // when the bar appears
	begun time.Time // the first report
	mu    sync.Mutex
	bar   *progressbar.ProgressBar
	shown bool
}

// rated is how long a bar counts before it appears: the library's rate is of the time since the
// first report, and what that one says was done before.
const rated = time.Second / 2

// NewProgress starts to count the time. what is done to what is counted, of which unit
// is the name in the plural.
func NewProgress(w io.Writer, what, unit string) *Progress {
	return &Progress{w: w, what: what, unit: unit, from: time.Now().Add(Patience)}
}

// Report says how much is done.
func (p *Progress) Report(done, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if total <= 0 {
		return
	}
	if p.bar == nil {
		p.bar, p.begun = progressbar.NewOptions64(total, p.options()...), time.Now()
	}
	if !p.shown && !time.Now().Before(p.from) && time.Since(p.begun) >= rated {
		p.shown = true
		progressbar.OptionSetVisibility(true)(p.bar)
	}
	_ = p.bar.Set64(min(done, total))
}

// roomy is how many columns a terminal needs for counts beside the bar. The library makes the
// bar shorter, but not what stands beside it; percent and times need less than 40.
const roomy = 100

func (p *Progress) options() []progressbar.Option {
	list := []progressbar.Option{
		progressbar.OptionSetWriter(p.w), progressbar.OptionSetVisibility(false), progressbar.OptionSetDescription(p.what),
		progressbar.OptionThrottle(100 * time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetPredictTime(true),
	}
	if Width(p.w) >= roomy {
		list = append(list, progressbar.OptionShowCount(), progressbar.OptionSetItsString(p.unit), progressbar.OptionShowIts())
	}
	return list
}

// Close wipes the bar off.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		_ = p.bar.Clear()
	}
}
