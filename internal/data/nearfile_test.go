package data

import (
	"os"
	"path/filepath"
	"testing"
)

// A file that is not there: the help names the one that was meant, as it has to be written, and no other.
func TestNearFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"flights.csv", "a.csv", "sum.gw", "part.parquet", "part.csv", "_flihts.csv", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("v\n1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"flihgts.csv": "flights.csv", "flights": "flights.csv", "flights.cvs": "flights.csv", "b.csv": "", "smu.gw": "sum.gw",
		"part.parqet": "part.parquet", "part": "", "other.csv": "", "notes": "", "nothere/flights.csv": "",
	} {
		path := filepath.Join(dir, name)
		if want != "" {
			want = filepath.Join(dir, want)
		}
		if got := NearFile(path); got != want {
			t.Errorf("%s: %q, expected %q", name, got, want)
		}
		_, err := Open(path)
		if e, ok := err.(*Error); ok && want != "" && Reads(name) && e.Help != "did you mean `"+want+"`?" {
			t.Errorf("%s: the help is %q", name, e.Help)
		}
	}
	t.Chdir(dir)
	if got := NearFile("flihgts.csv"); got != "flights.csv" {
		t.Errorf("in this folder: %q", got)
	}
}
