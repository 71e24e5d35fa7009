package godwit

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestResultAsItComes: a result that goes to its file part by part is the file that is written at once, in
// every format; and after a fault there is none.
func TestResultAsItComes(t *testing.T) {
	dir := t.TempDir()
	const rows = 100_000
	in := make([]float64, rows)
	for i := range in {
		in[i] = float64(i%1000) - 10
	}
	in[7] = math.NaN()
	for name, text := range map[string]string{
		"map":    "fn f(v: &[f64; N]) -> [f64; N] { v.map(|x| (x * x - 1.5).sqrt()) }",
		"scan":   "fn f(v: &[f64; N]) -> [f64; N] { v.scan(0.0, |a, x| a * 0.5 + x) }",
		"table":  "record R { x: f64, some: bool, n: Option<i32> }\nfn f(v: &[f64; N]) -> [R; N] { v.map(|x| R { x: x, some: x > 3.0, n: if x > 5.0 { Some(7) } else { None } }) }",
		"window": "fn f(v: &[f64; N]) -> [f64; N - 1] where N >= 2 { v.window::<2>().map(|w| w[1] - w[0]) }",
		"dates":  "fn f(v: &[f64; N]) -> [Date; N] { v.map(|x| if x > 3.0 { 2001-03-14 } else { 1970-01-02 }) }",
		"kept":   "fn f(v: &[f64; N]) -> [f64; ?M <= N] { v.filter(|x| x > 3.0) }",
	} {
		f := mustFunc(t, text)
		for _, ext := range []string{".npy", ".arrow", ".csv", ".parquet"} {
			if name == "table" && ext == ".npy" {
				continue
			}
			at, whole := filepath.Join(dir, name+"-parts"+ext), filepath.Join(dir, name+"-whole"+ext)
			res, err := f.Call(context.Background(), Args{"v": in}, WithFile(at), withSpool(1))
			if err != nil {
				t.Fatalf("%s%s: %v", name, ext, err)
			}
			if err := res.Slice(&in); err == nil || res.Value() != nil || string(res.JSON()) != "null" {
				t.Errorf("%s%s: the values are in the file, and here", name, ext)
			}
			if res, err = f.Call(context.Background(), Args{"v": in}); err == nil {
				err = res.WriteFile(whole)
			}
			if err != nil {
				t.Fatal(err)
			}
			if a, b := contents(t, at), contents(t, whole); a != b {
				t.Errorf("%s%s: %d bytes came part by part, %d at once, and they differ", name, ext, len(a), len(b))
			}
		}
	}
	f := mustFunc(t, "fn f(v: &[i64; N]) -> [i64; N] { v.map(|x| 1 / x) }")
	at := filepath.Join(dir, "fault.npy")
	if err := os.WriteFile(at, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Call(context.Background(), Args{"v": append(make([]int64, 90_000), 1)}, WithFile(at), withSpool(1)); err == nil {
		t.Error("a division by zero is no fault")
	}
	if string(contents(t, at)) != "before" {
		t.Error("the file was touched although the call failed")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// TestResultInParts: what is written while the next part is computed is the file that is written at once, on one thread
// and on more; and a disk that fills up in the middle is an error that leaves no file.
func TestResultInParts(t *testing.T) {
	const rows = 2_500_000 // 20 MB, five parts
	in := make([]float64, rows)
	for i := range in {
		in[i] = float64(i) - 1e6
	}
	for name, text := range map[string]string{
		"map":    "fn f(v: &[f64; N]) -> [f64; N] { v.map(|x| (x * x - 1.5e9).sqrt()) }",
		"window": "fn f(v: &[f64; N]) -> [f64; N - 2] where N >= 3 { v.window::<3>().map(|w| w[2] - w[0] * w[1]) }",
	} {
		f, dir := mustFunc(t, text), t.TempDir()
		whole := filepath.Join(dir, "whole.npy")
		res, err := f.Call(context.Background(), Args{"v": in})
		if err == nil {
			err = res.WriteFile(whole)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, threads := range []int{1, 2, 3} {
			at := filepath.Join(dir, "parts.npy")
			if _, err := f.Call(context.Background(), Args{"v": in}, WithFile(at), WithThreads(threads), withSpool(1)); err != nil {
				t.Fatalf("%s, %d threads: %v", name, threads, err)
			}
			if contents(t, at) != contents(t, whole) {
				t.Errorf("%s: the parts of %d threads are not the whole", name, threads)
			}
		}
	}
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=10m"); err != nil {
		t.Skip("SKIPPED: no disk was filled: a tmpfs cannot be mounted here: ", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	f := mustFunc(t, "fn f(v: &[f64; N]) -> [f64; N] { v.map(|x| x + 1.0) }")
	for _, threads := range []int{1, 2} {
		_, err := f.Call(context.Background(), Args{"v": in}, WithFile(filepath.Join(dir, "r.npy")), WithThreads(threads), withSpool(1))
		if !errors.Is(err, unix.ENOSPC) {
			t.Errorf("a full disk with %d threads: %v", threads, err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%v are left", left)
		}
	}
}

// withSpool has columns of at least n bytes go to the file as they come.
func withSpool(n int64) Option { return func(o *options) { o.spoolFrom = n } }

func mustFunc(t *testing.T, text string) *Func {
	t.Helper()
	p, err := Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Func("")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// contents is what a file holds. The header of an NPY file may be longer than it must.
func contents(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(string(b), "\x93NUMPY\x01\x00") {
		n := 10 + int(binary.LittleEndian.Uint16(b[8:]))
		return strings.TrimRight(string(b[10:n]), " \n") + string(b[n:])
	}
	return string(b)
}
