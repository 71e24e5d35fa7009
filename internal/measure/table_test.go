package measure

import (
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit/internal/data/generate"
)

// TestTableReferencesAgree holds the two references against each other.
func TestTableReferencesAgree(t *testing.T) {
	s := newSession(t)
	b := &tables{session: s, parquet: filepath.Join(s.dir, "f.parquet"), arrow: filepath.Join(s.dir, "f.arrow"), rows: 300_001}
	if err := generate.Flights(t.Context(), b.parquet, b.rows, 3); err != nil {
		t.Fatal(err)
	}
	if err := b.toArrow(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"delay", "distance"} {
		r, err := column(b.arrow, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.peer.file(i, r); err != nil {
			t.Fatal(err)
		}
	}
	_, want, err := arrowGo(b.parquet, 2, true)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range forms("group") {
		_, got, err := s.peer.run(f, 2, b.rows)
		if err != nil {
			t.Fatal(err)
		}
		if err := within(1e-9, got, want); err != nil {
			t.Errorf("%v: %v", f, err)
		}
	}
}
