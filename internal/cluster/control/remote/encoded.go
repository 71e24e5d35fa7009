package remote

import (
	"strconv"
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
)

// encoded is a view as it is sent: encoded when somebody first asks for it, once for all.
type encoded struct {
	view *catalog.View
	once sync.Once
	text []byte // an answer without an age
}

const (
	head = `{"view":`
	tail = `}`
)

// answer is the text of an answer with the view. It is not to be changed.
func (e *encoded) answer(age int64) []byte {
	e.once.Do(func() {
		view := control.EncodeView(e.view)
		e.text = append(append(append(make([]byte, 0, len(head)+len(view)+len(tail)), head...), view...), tail...)
	})
	if age == 0 {
		return e.text
	}
	with := `,"age_ms":` + strconv.FormatInt(age, 10) + tail
	body := e.text[:len(e.text)-len(tail)]
	return append(append(make([]byte, 0, len(body)+len(with)), body...), with...)
}

// encodedOf is a view that was asked for: what is encoded of the same one already serves.
func (s *Service) encodedOf(v *catalog.View) *encoded {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range []*encoded{s.latest, s.asked} {
		if e != nil && e.view == v {
			return e
		}
	}
	s.asked = &encoded{view: v}
	return s.asked
}
