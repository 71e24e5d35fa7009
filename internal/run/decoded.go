package run

import (
	"slices"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/data"
)

// In: chunks that were decoded. Out: what decoding took by how values are stored, for predictions to come, and what of a launch's time it was.

// Decoded is what was decoded of one form; see data.Stored.
type Decoded struct {
	Form          string
	Bytes, Values float64
	Seconds       float64 // of all workers together
	Workers       int     // that decoded at the same time, about: where most did
}

// decodings are those of a run. They are safe for concurrent use.
type decodings struct {
	mu   sync.Mutex
	list []Decoded
	wall float64 // seconds by which the run took longer, about: what workers take at the same time counts once
}

// add notes that a part of what is stored took one of so many workers so long.
func (d *decodings) add(of data.Stored, part, values float64, took time.Duration, workers int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.wall += took.Seconds() / float64(max(1, workers))
	i := slices.IndexFunc(d.list, func(x Decoded) bool { return x.Form == of.Form })
	if i < 0 {
		i, d.list = len(d.list), append(d.list, Decoded{Form: of.Form})
	}
	x := &d.list[i]
	x.Workers = max(x.Workers, workers)
	x.Bytes, x.Values, x.Seconds = x.Bytes+of.Bytes*part, x.Values+values, x.Seconds+took.Seconds()
}

// seconds is by how much the run took longer so far.
func (d *decodings) seconds() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.wall
}

// note adds what a task of a decoding took.
func (d *decoding) note(parts []part, c data.Chunk, took time.Duration) {
	if d.src.Rows() == 0 || len(parts) == 0 {
		return
	}
	of, values, tasks := data.Stored{}, 0.0, 0
	for i := range parts {
		st := parts[i].stored
		if !parts[i].told {
			return
		}
		if values += st.Values; i == 0 || !st.Together {
			st.Bytes += of.Bytes
			of = st
			tasks += len(d.src.Chunks())
		}
	}
	share := float64(c.Rows()) / float64(d.src.Rows())
	d.m.decoded.add(of, share, values*share, took, min(d.workers, tasks))
}
