package control

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// While a data set is in the catalogue, so are its texts: nobody drops them beside it, and none becomes visible without.
func TestTextsStay(t *testing.T) {
	t.Parallel()
	m := NewMemory()
	a := join(t, m, "a")
	made := func(name string) *catalog.Set {
		s := flights(t, m, a, a, name)
		s.Shards[0].Assigned = s.Shards[0].Assigned[:1]
		return s
	}
	s := made("s")
	texts := made("texts")
	texts.Name = catalog.TextsOf(s.ID)
	s.Texts = texts.ID
	if e := refused[*InvalidError](t, m.Commit(within(t), s)); !strings.Contains(e.Reason, "load it again") {
		t.Errorf("without its texts: %v", e)
	}
	check(t, m.Commit(within(t), texts))
	other := made("other")
	other.Texts = texts.ID
	refused[*InvalidError](t, m.Commit(within(t), other))
	check(t, m.Commit(within(t), s))
	_, err := m.Remove(within(t), texts.Name)
	if e := refused[*InvalidError](t, err); !strings.Contains(e.Reason, ", and they go with it") {
		t.Errorf("beside its set: %v", e)
	}
	must[*catalog.Set](t)(m.Remove(within(t), s.Name))
	must[*catalog.Set](t)(m.Remove(within(t), texts.Name))
	if v := must[*catalog.View](t)(m.View(within(t))); len(v.Sets) != 0 {
		t.Errorf("left: %+v", v.Sets)
	}
}
