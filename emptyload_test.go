package godwit_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// Text without rows tells no types, so that it is no data set; with rows it is one, and takes others.
func TestLoadOfNothing(t *testing.T) {
	c := started(t, 1)
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var input *godwit.InputError
	if _, err := c.Load(t.Context(), file("head.csv", "a,b\n"), "s", godwit.LoadOptions{}); !errors.As(err, &input) || !strings.Contains(err.Error(), "has no rows") || !strings.Contains(input.Help, "--append") {
		t.Errorf("%v", err)
	}
	if _, err := c.Load(t.Context(), file("some.csv", "a,b\n1000,x\n"), "s", godwit.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Load(t.Context(), file("more.csv", "a,b\n2000,y\n"), "s", godwit.LoadOptions{Append: true}); err != nil {
		t.Fatal(err)
	}
}
