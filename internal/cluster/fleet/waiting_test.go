package fleet

import (
	"os"
	"path/filepath"
	"testing"
)

// What a node waits for is read from its log, from this life's part on.
func TestWaitingFor(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	old := `time=1 level=WARN msg="an earlier node waits for something"` + "\n"
	text := old + `time=2 level=WARN msg="the control's member waits for space on its disk: 3 MiB are free and it needs 24 MiB; make room" dir=x` + "\n" + `time=3 level=INFO msg="more"` + "\n"
	if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := waitingFor(log, int64(len(old))), "the control's member waits for space on its disk: 3 MiB are free and it needs 24 MiB; make room"; got != want {
		t.Errorf("found %q, expected %q", got, want)
	}
	if got := waitingFor(log, int64(len(text))); got != "" {
		t.Errorf("found %q in nothing", got)
	}
}
