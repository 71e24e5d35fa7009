package cluster_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
)

// Of a file that is written to while it is loaded nothing is kept.
func TestFileChangedDuringALoad(t *testing.T) {
	b := newBed(t, 2)
	path := filepath.Join(t.TempDir(), "x.csv")
	if err := os.WriteFile(path, []byte("v\n1\n2\n3\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Hour) // clocks of files are coarse
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	src, err := data.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	_, err = b.Client.Load(t.Context(), src, "x", cluster.LoadOptions{Progress: func(int64, int64) {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteAt([]byte("v"), 0)
			f.Close()
		}
		if err != nil {
			t.Error(err)
		}
	}})
	if changed := (*data.ChangedError)(nil); !errors.As(err, &changed) || changed.Path != path {
		t.Error(err)
	}
	if _, listed := b.Client.View().Named("x"); listed {
		t.Error("the set is in the catalogue")
	}
}
