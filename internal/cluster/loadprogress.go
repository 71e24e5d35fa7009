package cluster

import (
	"sync"

	"github.com/godwit-run/godwit/internal/data"
)

// progress counts the rows of a load for whoever wants to be told. Rows of text count twice: they are
// looked at for their types, and then stored.
type progress struct {
	tell  func(done, total int64)
	total int64

	mu   sync.Mutex
	done float64 // rows; a part of a file may end inside of one
}

func (g *progress) begin(src data.Source, tell func(done, total int64)) {
	g.tell, g.total = tell, src.Rows()
	if data.Untyped(src) {
		g.total *= 2
	}
}

// looked counts rows that were looked at.
func (g *progress) looked(rows int64) { g.stored(float64(rows)) }

// stored counts rows that lie on all of their nodes.
func (g *progress) stored(rows float64) {
	if g.tell == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done += rows
	g.tell(min(int64(g.done+0.5), g.total), g.total)
}
