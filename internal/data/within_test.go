package data

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is written is not put among what is read, under whatever name; beside it, and hidden in it, is fine.
func TestWithin(t *testing.T) {
	dir := writeFiles(t, map[string]string{"parts/a1.csv": "a\n1\n", "parts/deep/a2.csv": "a\n2\n", "hive/k=1/x.csv": "a\n3\n", "hive/k=2/x.csv": "a\n4\n", "one/a.csv": "a\n5\n", "alone.csv": "a\n6\n"})
	if err := os.Symlink("parts", filepath.Join(dir, "other")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		read, to string
		within   bool
	}{
		{"parts", "parts/new.csv", true}, {"parts", "other/new.csv", true}, {"other", "parts/deep/new.parquet", true}, {"parts", "parts/made/here.csv", true}, {"one", "one/b.csv", true}, {"one", "one/a.csv", true},
		{"parts/*.csv", "parts/new.csv", true}, {"parts/**/*.csv", "parts/deep/a3.csv", true}, {"hive/k=*", "hive/k=2/y.csv", true}, {"hive/*/*.csv", "hive/k=1/y.csv", true}, {"parts,alone.csv", "parts/new.csv", true},
		{"parts", "new.csv", false}, {"parts", "parts/.new.csv", false}, {"parts", "parts/_aside/new.csv", false}, {"parts", "parts/notes.txt", false}, {"parts/a*.csv", "parts/b.csv", false},
		{"parts/*.csv", "parts/deep/new.csv", false}, {"alone.csv", "new.csv", false}, {"hive/k=1*", "hive/k=2/y.csv", false}, {"one/a.csv", "one/b.csv", false}, {"parts", "parts2/new.csv", false},
	} {
		var names []string
		for _, n := range strings.Split(c.read, ",") {
			names = append(names, filepath.Join(dir, n))
		}
		src, err := OpenSpec(t.Context(), Several(names, Options{}), nil)
		if err != nil {
			t.Fatalf("%s: %v", c.read, err)
		}
		if got := Within(src, Target{Path: filepath.Join(dir, c.to)}); got != c.within {
			t.Errorf("%s is read, %s is written: %v", c.read, c.to, got)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	src := openList(t, filepath.Join(dir, "parts"))
	if !Within(src, Target{Path: filepath.Join(dir, "parts", "made"), By: []string{"a"}}) {
		t.Error("a folder")
	}
	if _, err := Rewrite(t.Context(), src, Target{Path: filepath.Join(dir, "parts", "new.csv")}, nil, nil); err == nil || !strings.Contains(err.Error(), "count twice") {
		t.Error(err)
	}
}

// A pattern that only folders match means the tables in them.
func TestPatternsOfFolders(t *testing.T) {
	dir := writeFiles(t, map[string]string{"h/s=A/1.csv": "a\n1\n", "h/s=AB/1.csv": "a\n2\n", "h/s=B/1.csv": "a\n3\n", "h/s=AC.csv": "a\n4\n", "h/e/notes.txt": "", "m/x/1.csv": "a\n1\n", "m/y/1.jsonl": "{}"})
	for pattern, want := range map[string]string{"h/s=A*": "[4]", "h/s=?": "[1 3]", "h/s=[AB]/": "[1 3]", "h/s=A": "[1]", "h/s=AB*": "[2]"} {
		src, err := OpenSpec(t.Context(), Several([]string{filepath.Join(dir, pattern)}, Options{}), nil)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		src, err = Typed(t.Context(), src, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(rowsOf(t, src, "a"), " "); "["+got+"]" != want {
			t.Errorf("%s: [%s], wanted %s", pattern, got, want)
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	for pattern, want := range map[string]string{"h/e*": "no table in this folder", "m/*": "several formats", "h/x*": "5 other names"} {
		if _, err := OpenSpec(t.Context(), Several([]string{filepath.Join(dir, pattern)}, Options{}), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}
