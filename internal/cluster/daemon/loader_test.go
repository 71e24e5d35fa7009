package daemon

import (
	"runtime"
	"testing"

	"github.com/godwit-run/godwit/internal/packages/pack"
)

// Two packages of one name are two programs, and have two workers: what names them is the
// whole hash of what they are.
func TestProgramsOfOneName(t *testing.T) {
	ids := map[string]bool{}
	for _, code := range []string{"one", "two"} {
		p := &pack.Package{Name: "f", Sections: []pack.Section{{Arch: runtime.GOARCH, Form: pack.Object, Bytes: []byte(code)}}}
		w, _, _, err := (&Loader{}).Program(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		id, err := p.ID()
		if err != nil {
			t.Fatal(err)
		}
		if w.ID != id.String() || w.Name != "f" {
			t.Errorf("the program is %q, %q; expected %s", w.ID, w.Name, id)
		}
		ids[w.ID] = true
	}
	if len(ids) != 2 {
		t.Errorf("two packages have %d programs", len(ids))
	}
}
