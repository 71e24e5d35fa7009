package cluster_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
)

// TestTextsLost: texts that no node has any more are an error with the names that people gave, and none that the catalogue has for itself.
func TestTextsLost(t *testing.T) {
	b := newBed(t, 2)
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte("k,carrier\n1,AA\n2,UA\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := data.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if err := b.load(src, "s", cluster.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	set, _ := b.Client.View().Named("s")
	texts, _ := b.Client.View().Set(set.Texts)
	for _, p := range texts.Shards[0].Assigned {
		if err := b.lose(p, texts.ID, 0); err != nil {
			t.Fatal(err)
		}
	}
	start := time.Now()
	s, err := b.Client.Open("s")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.(data.Dictionary).Texts(t.Context(), 1)
	if err == nil {
		t.Fatal("the texts are there")
	}
	for _, want := range []string{"the texts of @s, column `carrier`", "shard 0 of the texts of `s`"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: expected %s", err, want)
		}
	}
	if regexp.MustCompile(`texts\.\d`).MatchString(err.Error()) {
		t.Errorf("%v: names what nobody has named", err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("the error took %v", took)
	}
}
