package data

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// names are the files of a folder, as somebody finds them who comes after a process was killed.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		list = append(list, e.Name())
	}
	return list
}

func TestFileHasNoNameBeforeItIsWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x.csv")
	for _, text := range []string{"first", "second"} {
		before := names(t, dir)
		err := replaceFile(path, func(w io.Writer) error {
			if _, ok := nameless(dir); ok && len(names(t, dir)) != len(before) {
				t.Errorf("while it is written there are %q, before there were %q", names(t, dir), before)
			}
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != text {
			t.Errorf("the file has %q (%v), expected %q", b, err, text)
		}
		if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o644 {
			t.Errorf("its mode is %v (%v)", st.Mode(), err)
		}
		if got := names(t, dir); len(got) != 1 {
			t.Errorf("there are %q", got)
		}
	}
	if err := replaceFile(path, func(io.Writer) error { return errors.New("no") }); err == nil {
		t.Error("expected an error")
	}
	if b, _ := os.ReadFile(path); string(b) != "second" || len(names(t, dir)) != 1 {
		t.Errorf("after an error there are %q with %q", names(t, dir), b)
	}
}

// Where no file can be without a name, one with a point in front goes all the same.
func TestFreshFileWithName(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "x")
	for _, become := range []bool{false, true} {
		f, err := os.CreateTemp(dir, ".x.*")
		if err != nil {
			t.Fatal(err)
		}
		n := &fresh{f, target, f.Name()}
		if become {
			if err := n.become(); err != nil {
				t.Error(err)
			}
		}
		if err := n.drop(); err != nil {
			t.Error(err)
		}
		if got := names(t, dir); become != (len(got) == 1 && got[0] == "x") {
			t.Errorf("become %v: there are %q", become, got)
		}
	}
}
