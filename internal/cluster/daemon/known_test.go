package daemon

import (
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/store"
)

// TestKnownDamaged: a damaged list of data sets, or one of an earlier form, knows nothing. It
// is no reason not to start: what is not known is not dropped.
func TestKnownDamaged(t *testing.T) {
	for _, text := range []string{"", `{"records":"r","se`, `{"1":7}`, `[]`, "\x00\x00"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "known.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		st, err := store.Open(dir, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		known, err := knownBefore(st)
		if len(known.Sets) > 0 || known.Records != "" {
			t.Errorf("%q is taken for %+v", text, known)
		}
		if err == nil && text != `{"1":7}` {
			t.Errorf("%q is not said to be damaged", text)
		}
		d := &Daemon{cfg: Config{Store: st, RepairAfter: 1}, log: slog.New(slog.DiscardHandler)}
		if newRepairs(d) == nil {
			t.Errorf("%q keeps the node from making replicas", text)
		}
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}
}
