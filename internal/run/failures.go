package run

import "sync"

// failures keeps the error with the least number, so that the same input
// gives the same message whatever the timing. The zero value is ready.
type failures struct {
	mu  sync.Mutex
	at  int
	err error
}

func (q *failures) add(i int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil || i < q.at {
		q.at, q.err = i, err
	}
}

func (q *failures) first() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}
