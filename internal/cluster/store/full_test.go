package store

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"golang.org/x/sys/unix"
)

// smallDisk is a directory on a disk of its own.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("SKIPPED: no small disk can be mounted here (%v), so full disks are not tested", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill takes all space that is left, as others on the disk do. What it gives frees it.
func fill(t *testing.T, dir string) func() {
	t.Helper()
	path := filepath.Join(dir, "others")
	f, err := os.Create(path)
	check(t, err)
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); errors.Is(err, unix.ENOSPC) {
			size /= 2
		} else {
			check(t, err)
		}
	}
	return func() { check(t, os.Remove(path)) }
}

// On a full disk what takes space is refused and loses nothing, all else goes on, and
// space that comes back is used.
func TestFullDiskGoesOn(t *testing.T) {
	disk := smallDisk(t, "24m")
	dir := filepath.Join(disk, "data")
	const reserve = 4 << 20
	s := open(t, dir, Options{Reserve: reserve})
	var files []File
	var full *FullError
	f, b := numbers(t, 1, 0, 0, 250_000) // 2 MB
	for {
		err := s.Put(Itself, f, 0, b)
		if errors.As(err, &full) {
			break
		}
		check(t, err)
		check(t, s.Seal(f))
		files = append(files, f)
		f.Shard++
	}
	if full.Reserve != reserve || len(files) < 5 {
		t.Fatalf("after %d shards: %+v", len(files), full)
	}
	if free, _, err := s.free(); err != nil || free < reserve {
		t.Errorf("%d bytes are free (%v), %d were to stay", free, err, reserve)
	}
	next, nb := numbers(t, 2, 0, 0, 10)
	check(t, s.Put(Itself, next, 0, nb))
	fill(t, disk)
	// What takes space.
	if err := s.Seal(next); !errors.As(err, &full) {
		t.Errorf("sealing on a full disk: %v", err)
	}
	if err := s.Put(Itself, next, 0, nb); !errors.As(err, &full) {
		t.Errorf("a shard on a full disk: %v", err)
	}
	if err := s.KeepCode([]byte("a kernel")); !errors.As(err, &full) {
		t.Errorf("a kernel on a full disk: %v", err)
	}
	// What does not.
	read := func(want []File) {
		t.Helper()
		if got := s.Shards(); !reflect.DeepEqual(got, want) {
			t.Fatalf("here is %v, expected %v", got, want)
		}
		for _, f := range want {
			for way, read := range ways {
				if _, err := read(s, f); err != nil {
					t.Errorf("%s of %v on a full disk: %v", way, &f, err)
				}
			}
		}
	}
	read(files)
	check(t, s.Scrub(t.Context(), Scrubbing{Report: func(_ File, err error) { check(t, err) }}))
	check(t, s.Close())
	s = open(t, dir, Options{Reserve: reserve}) // a restart
	read(files)
	check(t, s.SetAside(1, 0, io.ErrUnexpectedEOF))
	if d := s.Damaged(); len(d) != 1 || d[0].Path == "" {
		t.Errorf("set aside: %+v", d)
	}
	read(files[1:])
	check(t, s.Close())
	check(t, os.Remove(filepath.Join(disk, "others")))
	check(t, os.Truncate(s.path(files[1].key()), 10)) // damage that a start meets
	release := fill(t, disk)
	s = open(t, dir, Options{Reserve: reserve})
	read(files[2:])
	check(t, s.Drop(1, 2))
	read(files[3:])
	// Space that comes back.
	if err := s.Put(Itself, next, 0, nb); !errors.As(err, &full) {
		t.Errorf("what was dropped is the reserve's: %v", err)
	}
	release()
	put(t, s, next, nb)
	check(t, s.KeepCode([]byte("a kernel")))
	check(t, s.Put(Itself, f, 0, b))
	check(t, s.Seal(f))
}

// Without a configured limit the store follows the disk.
func TestLimitFollowsDisk(t *testing.T) {
	disk := smallDisk(t, "16m")
	s := open(t, filepath.Join(disk, "data"), Options{})
	_, before := s.Usage()
	release := fill(t, disk)
	_, none := s.Usage()
	release()
	_, after := s.Usage()
	if none != 0 || before < 10<<20 || after < before-1<<20 {
		t.Errorf("the limit was %d, on a full disk %d, then %d", before, none, after)
	}
	if _, reserve, err := s.free(); err != nil || reserve < 500<<10 || reserve > 1<<20 {
		t.Errorf("of 16 MiB %d stay free: %v", reserve, err)
	}
}
