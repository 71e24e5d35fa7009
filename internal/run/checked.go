package run

import (
	"sync"

	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// checked is a part of a file's contents of which it is known that its
// integers keep a bound.
type checked struct {
	version        mem.Version
	offset, length int64
	kind           num.Kind
	bound          int64
}

// allChecked is what this process has found out. It is forgotten when it
// grows long: to look again costs little.
var allChecked struct {
	sync.Mutex
	set map[checked]struct{}
}

const maxChecked = 4096

func (c checked) done() bool {
	allChecked.Lock()
	defer allChecked.Unlock()
	_, ok := allChecked.set[c]
	return ok
}

func (c checked) remember() {
	if c.bound <= 0 {
		return
	}
	allChecked.Lock()
	defer allChecked.Unlock()
	if len(allChecked.set) >= maxChecked || allChecked.set == nil {
		allChecked.set = map[checked]struct{}{}
	}
	allChecked.set[c] = struct{}{}
}
