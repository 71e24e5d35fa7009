package codegen

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestDiskCache(t *testing.T) {
	dir := t.TempDir()
	os.Chmod(dir, 0o700)
	s := compiling(t, Options{Dir: dir})
	if _, ok := s.Cached(ir("f")); ok {
		t.Fatal("found before it was compiled")
	}
	object := compile(t, s, ir("f")).Object
	again := compile(t, s, ir("f"))
	if !again.Cached || again.Micros != 0 || !bytes.Equal(again.Object, object) {
		t.Errorf("cached %v, %d µs", again.Cached, again.Micros)
	}
	for name, other := range map[string]func(*Job){
		"source":   func(j *Job) { j.Source = append(j.Source, '\n') },
		"passes":   func(j *Job) { j.Optimise = false },
		"assembly": func(j *Job) { j.Assembly = true },
		"target":   func(j *Job) { j.Target.Arch = "riscv64" },
		"form":     func(j *Job) { j.Form = Bitcode },
	} {
		j := ir("f")
		other(&j)
		if _, ok := s.Cached(j); ok {
			t.Errorf("another %s: found", name)
		}
	}

	// Another process finds it without a child.
	second := service(t, Options{Dir: dir})
	if r, ok := second.Cached(ir("f")); !ok || !bytes.Equal(r.Object, object) || second.pid() != 0 {
		t.Errorf("second service: %v, process %d", ok, second.pid())
	}
	if r := compile(t, second, ir("f")); !r.Cached || second.pid() != 0 {
		t.Errorf("second service: cached %v, process %d", r.Cached, second.pid())
	}
}

// A record of another libLLVM does not count.
func TestLibraryReplaced(t *testing.T) {
	dir := t.TempDir()
	os.Chmod(dir, 0o700)
	s := compiling(t, Options{Dir: dir})
	library := filepath.Join(t.TempDir(), "libLLVM.so")
	if err := os.WriteFile(library, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	i := *s.info
	i.Path = library
	s.remember(&i)
	if _, ok := New(Options{Dir: dir}).recall(); !ok {
		t.Fatal("the record is not found")
	}
	if err := os.WriteFile(library, []byte("another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok := New(Options{Dir: dir}).recall(); ok {
		t.Error("the record of a library that was replaced counts")
	}
}

// A file that is larger than any object is not read.
func TestLargeObject(t *testing.T) {
	d := newDisk(t.TempDir(), 1<<20, slog.New(slog.DiscardHandler))
	os.Chmod(d.dir, 0o700)
	k := key{1, 2, 3}
	d.put(k, []byte("an object"))
	if err := os.Truncate(d.path(k), 64<<30); err != nil {
		t.Skipf("SKIPPED: this file system has no files of 64 GiB: %v", err)
	}
	if _, ok := d.get(k); ok {
		t.Error("it is found")
	}
	if _, err := os.Stat(d.path(k)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there (%v)", err)
	}
}

func TestDamagedObjects(t *testing.T) {
	d := newDisk(t.TempDir(), 1<<20, slog.New(slog.DiscardHandler))
	os.Chmod(d.dir, 0o700)
	k := key{1, 2, 3}
	object := []byte("an object of some bytes")
	whole := wrap(k, object)
	damages := map[string][]byte{"empty": {}, "short header": whole[:headerBytes-1], "truncated": whole[:len(whole)-1], "longer": append(bytes.Clone(whole), 0)}
	for i := range whole {
		b := bytes.Clone(whole)
		b[i] ^= 0x40
		damages[fmt.Sprint("byte ", i)] = b
	}
	for name, b := range damages {
		d.put(k, object)
		if got, ok := d.get(k); !ok || !bytes.Equal(got, object) {
			t.Fatal("the object is not found")
		}
		if err := os.WriteFile(d.path(k), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, ok := d.get(k); ok {
			t.Errorf("%s: found", name)
		}
		if _, err := os.Stat(d.path(k)); !os.IsNotExist(err) {
			t.Errorf("%s: not removed: %v", name, err)
		}
	}
}

func TestEviction(t *testing.T) {
	dir := t.TempDir()
	os.Chmod(dir, 0o700)
	const size = 1000
	limit := int64(10 * (size + headerBytes))
	quiet := slog.New(slog.DiscardHandler)
	a, b := newDisk(dir, limit, quiet), newDisk(dir, limit, quiet) // two daemons
	stale := filepath.Join(dir, unfinished+"1")
	foreign := filepath.Join(dir, "README")
	old := time.Now().Add(-2 * time.Hour)
	for _, f := range []string{stale, foreign} {
		if err := os.WriteFile(f, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		os.Chtimes(f, old, old)
	}
	for i := range 10 {
		a.put(key{byte(i)}, make([]byte, size))
		when := old.Add(time.Duration(i) * time.Minute)
		os.Chtimes(a.path(key{byte(i)}), when, when)
	}
	if _, ok := a.get(key{0}); !ok { // the oldest is used again
		t.Fatal("evicted below the limit")
	}
	b.put(key{10}, make([]byte, size))
	var left []byte
	for i := range 11 {
		if _, err := os.Stat(a.path(key{byte(i)})); err == nil {
			left = append(left, byte(i))
		}
	}
	if want := []byte{0, 5, 6, 7, 8, 9, 10}; !bytes.Equal(left, want) {
		t.Errorf("left %v, expected %v", left, want)
	}
	if _, err := os.Stat(stale); !os.IsNotExist(err) {
		t.Error("an unfinished file is left")
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error("a file that is not ours was removed")
	}
}

// Objects are run: where others may write, none is read.
func TestWritableByOthers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "objects")
	quiet := slog.New(slog.DiscardHandler)
	newDisk(dir, 1<<20, quiet).put(key{1}, []byte("x"))
	if s, err := os.Stat(dir); err != nil || s.Mode().Perm() != 0o700 {
		t.Fatalf("%v %v", s, err)
	}
	if err := os.Chmod(dir, 0o770); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	if _, ok := newDisk(dir, 1<<20, slog.New(slog.NewTextHandler(&log, nil))).get(key{1}); ok {
		t.Error("read from a directory where others write")
	}
	if !bytes.Contains(log.Bytes(), []byte("chmod go-w")) {
		t.Errorf("log: %s", log.Bytes())
	}
}
