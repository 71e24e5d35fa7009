package site

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A command that is shown works when it is pasted: it names the directory unless that is the default.
func TestCommand(t *testing.T) {
	for _, c := range []struct{ usual, dir, want string }{
		{"", ".godwit", "godwit down"},
		{"", "/data/c", "godwit down --cluster /data/c"},
		{"", "my c", "godwit down --cluster 'my c'"},
		{"/data/c", "/data/c", "godwit down"},
		{"/data/c", ".godwit", "godwit down --cluster .godwit"},
	} {
		t.Setenv("GODWIT_CLUSTER", c.usual)
		if got := Command("down", c.dir); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

// The directory of a cluster, which holds keys, stays out of repositories.
func TestIgnored(t *testing.T) {
	s, err := Create(filepath.Join(t.TempDir(), "c"), time.Second)
	check(t, err)
	if b, err := os.ReadFile(filepath.Join(s.Dir, ".gitignore")); string(b) != "*\n" {
		t.Errorf("found %q, %v", b, err)
	}
}
