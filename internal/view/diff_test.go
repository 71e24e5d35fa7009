package view

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestDiff(t *testing.T) {
	if d := Diff("x", "same\n", "same\n", Style{}); d != "" {
		t.Errorf("no difference is %q", d)
	}
	got := Diff("x.gw", "a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nd\nE\nf\ng\nh", Style{})
	want := "--- x.gw\n+++ x.gw (formatted)\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n-h\n+h\n\\ No newline at end of file\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestDiffApplies has patch(1) turn the first text into the second.
func TestDiffApplies(t *testing.T) {
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("SKIPPED: differences against patch(1), which is not installed")
	}
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "d\n"}), 1, 30)
		before, after := strings.Join(text.Draw(rt, "before"), ""), strings.Join(text.Draw(rt, "after"), "")
		d := Diff("x", before, after, Style{})
		if d == "" {
			return
		}
		file := filepath.Join(dir, "x")
		if err := os.WriteFile(file, []byte(before), 0o666); err != nil {
			rt.Fatal(err)
		}
		cmd := exec.Command(patch, "-s", "--posix", file)
		cmd.Stdin = strings.NewReader(d)
		if out, err := cmd.CombinedOutput(); err != nil {
			rt.Fatalf("%v: %s\n%s", err, out, d)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != after {
			rt.Fatalf("patched to %q (%v), want %q", got, err, after)
		}
	})
}
