package plan

import (
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// In: a schedule that holds maps, and the one in which all who walk over them compute them, for a result that goes to a file. Out:
// which of them a run goes by. What is held could lie in a file, too: written once, and read again. Computing it again must not
// take more time than that; then memory stays free for nothing, or for less than what others would pay.

// Again reports that computing maps again is worth the memory that is not held then, in bytes. Engine is the best that code can
// come to run on.
func Again(s, again *schedule.Schedule, sizes map[string]int64, held float64, opt Options) (bool, error) {
	if held <= 0 {
		return false, nil
	}
	a, b, err := both(s, again, sizes, opt)
	if a == nil || err != nil {
		return false, err
	}
	mem := opt.Machine.MemoryFor(opt.Threads)
	file := mem.Fresh.At(held).Plus(mem.File.At(held)).Times(held) // pages that are not there yet are written, and then read
	return b.Time.P50 <= a.Time.P50+file.P50, nil
}

// Quicker reports that computing maps again is expected to take less time than holding them, as where memory is slower than the
// processor. close says that the machine's error leaves it open.
func Quicker(s, again *schedule.Schedule, sizes map[string]int64, opt Options) (quicker, close bool, err error) {
	a, b, err := both(s, again, sizes, opt)
	if a == nil || err != nil {
		return false, false, err
	}
	x, y, off := a.Time.P50, b.Time.P50, opt.Machine.Engines[a.Engine].Error
	return y < x, max(x, y) < min(x, y)*off*off, nil
}

// both predicts two schedules; none where the engine was not measured.
func both(s, other *schedule.Schedule, sizes map[string]int64, opt Options) (a, b *Prediction, err error) {
	if opt.Machine.Engines[opt.Engine] == nil {
		opt.Engine = "wasm"
	}
	if opt.Machine.Engines[opt.Engine] == nil {
		return nil, nil, nil
	}
	if a, err = cheapest(s, sizes, opt); err == nil {
		b, err = cheapest(other, sizes, opt)
	}
	return a, b, err
}
