package data

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pattern is n bytes that differ from block to block.
func pattern(n int) []byte {
	b := make([]byte, n)
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func sumsOf(b []byte) Sums {
	w := new(Summing)
	_, _ = w.Write(b)
	return w.Sums()
}

func checkedFile(t testing.TB, b []byte) (*Checked, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.arrow")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	c, err := NewChecked(path, f, sumsOf(b), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c, path
}

// However a file is written, its sums are the same, and one for each block.
func TestSumming(t *testing.T) {
	for _, n := range []int{0, 1, Block - 1, Block, Block + 1, 3*Block + 7} {
		b := pattern(n)
		want := sumsOf(b)
		if !want.Fits() || want.Size != int64(n) {
			t.Fatalf("%d bytes: %d sums of %d bytes", n, len(want.List), want.Size)
		}
		for _, step := range []int{1, 1000, Block, Block + 1, 2*Block + 3} {
			w := new(Summing)
			for at := 0; at < n; at += step {
				_, _ = w.Write(b[at:min(at+step, n)])
			}
			if got := w.Sums(); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%d bytes by %d: other sums", n, step)
			}
		}
	}
}

// Wherever a byte is wrong, reading any bytes gives the right ones or an error, before
// anything was read and while the file is open.
func TestCheckedReads(t *testing.T) {
	const size = 5*Block + 100
	good := pattern(size)
	reads := [][2]int{{0, size}, {0, 10}, {Block - 5, 10}, {Block, Block}, {10, 3 * Block}, {size - 10, 10}, {4 * Block, Block + 100}, {Block + 1, 1}}
	for _, wrong := range []int{0, Block - 1, Block, 2*Block + 77, 5 * Block, size - 1} {
		for _, warm := range []bool{false, true} {
			c, path := checkedFile(t, good)
			if warm {
				if _, err := c.ReadAt(make([]byte, size), 0); err != nil {
					t.Fatal(err)
				}
			}
			overwrite(t, path, int64(wrong), []byte{good[wrong] ^ 4})
			for _, r := range reads {
				p := make([]byte, r[1])
				_, err := c.ReadAt(p, int64(r[0]))
				var bad *DamageError
				touches := wrong/Block >= r[0]/Block && wrong/Block <= (r[0]+r[1]-1)/Block
				switch {
				case touches && (!errors.As(err, &bad) || bad.Block != int64(wrong/Block)):
					t.Errorf("byte %d is wrong, bytes %v were read: %v", wrong, r, err)
				case !touches && (err != nil || !bytes.Equal(p, good[r[0]:r[0]+r[1]])):
					t.Errorf("byte %d is wrong, bytes %v: %v, or other bytes", wrong, r, err)
				}
			}
		}
	}
}

// overwrite writes into a file, at a later time of its clock.
func overwrite(t testing.TB, path string, off int64, b []byte) {
	t.Helper()
	time.Sleep(10 * time.Millisecond) // clocks of files tick every 4 ms
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(b, off); err != nil {
		t.Fatal(err)
	}
}

// A file that is written to with the same bytes is compared again, and is right.
func TestCheckedRewritten(t *testing.T) {
	good := pattern(4 * Block)
	c, path := checkedFile(t, good)
	p := make([]byte, len(good))
	for range 3 {
		if _, err := c.ReadAt(p, 0); err != nil || !bytes.Equal(p, good) {
			t.Fatal(err)
		}
		before := c.now.Load()
		overwrite(t, path, 100, good[100:200])
		if _, err := c.ReadAt(p[:10], 0); err != nil || c.now.Load() == before {
			t.Fatalf("%v, or the write was not noticed", err)
		}
	}
}

// A file that is cut short, before or while it is open, or has grown.
func TestCheckedLength(t *testing.T) {
	good := pattern(3*Block + 5)
	for _, size := range []int64{0, 1, Block, 3 * Block, 3*Block + 4, 3*Block + 6, 5 * Block} {
		c, path := checkedFile(t, good)
		if _, err := c.ReadAt(make([]byte, len(good)), 0); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		for _, r := range [][2]int64{{0, 3*Block + 5}, {0, 1}, {3 * Block, 5}} {
			if _, err := c.ReadAt(make([]byte, r[1]), r[0]); !errors.As(err, new(*DamageError)) {
				t.Errorf("%d bytes, %v read: %v", size, r, err)
			}
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := NewChecked(path, f, sumsOf(good), nil); !errors.As(err, new(*DamageError)) {
			t.Errorf("%d bytes are opened: %v", size, err)
		}
	}
}

// A mapping is compared where it lies. One that lost its pages is an error, not the end of
// the process.
func TestCheckedMapping(t *testing.T) {
	good := pattern(4*Block + 10)
	c, path := checkedFile(t, good)
	b, err := unix.Mmap(int(c.file.Fd()), 0, len(good), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Munmap(b) }()
	if err := c.Seen(b, 0); err != nil {
		t.Fatal(err)
	}
	overwrite(t, path, 2*Block, []byte{good[2*Block] ^ 1})
	var bad *DamageError
	if err := c.Seen(b[:2*Block], 0); err != nil {
		t.Error(err)
	}
	if err := c.Seen(b[2*Block:], 2*Block); !errors.As(err, &bad) || bad.Block != 2 {
		t.Errorf("a byte is wrong: %v", err)
	}
	if err := os.Truncate(path, Block); err != nil {
		t.Fatal(err)
	}
	if err := c.Seen(b[2*Block:], 2*Block); !errors.As(err, &bad) {
		t.Errorf("the pages are gone: %v", err)
	}
}

// What tell gives stands for the damage.
func TestCheckedTells(t *testing.T) {
	mine := errors.New("mine")
	b := pattern(Block)
	c, path := checkedFile(t, b)
	c.tell = func(e *DamageError) error { return fmt.Errorf("%w: %w", mine, e) }
	overwrite(t, path, 3, []byte{b[3] + 1})
	if _, err := c.ReadAt(make([]byte, 4), 0); !errors.Is(err, mine) || !errors.As(err, new(*DamageError)) {
		t.Error(err)
	}
}

// A block that was compared is not compared again.
func TestCheckedOnce(t *testing.T) {
	good := pattern(3 * Block)
	c, _ := checkedFile(t, good)
	p := make([]byte, len(good))
	if _, err := c.ReadAt(p[:2*Block], 0); err != nil {
		t.Fatal(err)
	}
	for hi, known := range map[int64]bool{1: true, 2 * Block: true, 2*Block + 1: false, 3 * Block: false} {
		if c.Known(0, hi) != known {
			t.Errorf("bytes up to %d are known: %v", hi, !known)
		}
	}
	c.sums.List[0]++ // from now on the sums are wrong
	c.sums.List[2]++
	if _, err := c.ReadAt(p[:Block], 0); err != nil {
		t.Errorf("compared again: %v", err)
	}
	if _, err := c.ReadAt(p[:1], 2*Block); err == nil {
		t.Error("block 2 was not compared")
	}
}

// What is known is known until somebody writes, of many blocks too.
func TestCheckedKnown(t *testing.T) {
	good := pattern(300*Block + 5)
	c, path := checkedFile(t, good)
	if _, err := c.ReadAt(make([]byte, len(good)), 0); err != nil {
		t.Fatal(err)
	}
	for _, r := range [][2]int64{{0, int64(len(good))}, {Block, 200 * Block}, {64 * Block, 128 * Block}, {0, 0}} {
		if !c.Known(r[0], r[1]) {
			t.Errorf("%v is not known", r)
		}
	}
	c.now.Load().seen[2].And(^uint64(1 << 3)) // block 131
	for _, r := range [][2]int64{{0, int64(len(good))}, {131 * Block, 131*Block + 1}, {130 * Block, 299 * Block}} {
		if c.Known(r[0], r[1]) {
			t.Errorf("%v is known without block 131", r)
		}
	}
	if !c.Known(0, 131*Block) || !c.Known(132*Block, int64(len(good))) {
		t.Error("other blocks are not known")
	}
	overwrite(t, path, 0, good[:1])
	if c.Known(0, Block) {
		t.Error("known although somebody has written")
	}
}

// FuzzChecked: whatever byte is flipped, what is read is right or an error.
// What the process or the system lacks is not the file's fault.
func TestFailed(t *testing.T) {
	c, _ := checkedFile(t, pattern(100))
	for err, damage := range map[error]bool{
		unix.EMFILE: false, unix.ENFILE: false, unix.ENOMEM: false, unix.EAGAIN: false, os.ErrClosed: false,
		unix.EIO: true, unix.EBADMSG: true, os.ErrNotExist: true, os.ErrPermission: true,
	} {
		got := c.failed(0, &os.PathError{Op: "read", Path: "x", Err: err})
		if errors.As(got, new(*DamageError)) != damage || !errors.Is(got, err) || Passing(err) == damage {
			t.Errorf("%v becomes %v, expected damage: %v", err, got, damage)
		}
	}
}

func FuzzChecked(f *testing.F) {
	good := pattern(3*Block + 321)
	f.Add(uint32(0), uint8(1), uint32(0), uint32(100))
	f.Add(uint32(Block), uint8(128), uint32(Block-1), uint32(2))
	c, path := checkedFile(f, good)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { file.Close() })
	f.Fuzz(func(t *testing.T, at uint32, with uint8, lo, n uint32) {
		i := int64(at) % int64(len(good))
		if _, err := file.WriteAt([]byte{good[i] ^ with}, i); err != nil {
			t.Fatal(err)
		}
		defer func() { _, _ = file.WriteAt(good[i:i+1], i) }()
		fresh, err := NewChecked(path, c.file, c.sums, nil)
		if err != nil {
			t.Fatal(err)
		}
		off := int64(lo) % int64(len(good))
		p := make([]byte, min(int64(n), int64(len(good))-off))
		if _, err := fresh.ReadAt(p, off); err == nil && !bytes.Equal(p, good[off:off+int64(len(p))]) {
			t.Errorf("byte %d ^ %d: wrong bytes from %d on", i, with, off)
		}
	})
}
