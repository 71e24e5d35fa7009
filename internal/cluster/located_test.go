package cluster

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Nothing is opened but the file that is meant, and none of its bytes are taken without their checksums.
func TestOpenAt(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "shard.arrow")
	words := bytes.Repeat([]byte("12345678"), 10_000)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := data.WriteArrow(path, f, &data.Output{Columns: []data.OutColumn{{Name: "a", Kind: num.I64, Values: words}}, Rows: 10_000}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sums := new(data.Summing)
	if _, err := sums.Write(written); err != nil {
		t.Fatal(err)
	}
	fifo, secret := filepath.Join(dir, "fifo"), filepath.Join(dir, "secret")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, written, 0o600); err != nil {
		t.Fatal(err)
	}
	locate := func(path string, flags int) *parcel.Located {
		g, err := os.OpenFile(path, flags, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { g.Close() })
		var st unix.Stat_t
		if err := unix.Fstat(int(g.Fd()), &st); err != nil {
			t.Fatal(err)
		}
		return &parcel.Located{File: uint64(g.Fd()), Device: st.Dev, Inode: st.Ino, Size: st.Size, Sums: sums.Sums().List}
	}
	read := func(at *parcel.Located) error {
		back, err := parcel.ReadLocated(at.Answer())
		if err != nil {
			return err
		}
		src, err := openAt(os.Getpid(), back)
		if err != nil {
			return err
		}
		defer src.Close()
		got := make([]byte, len(words))
		if err := data.ReadRows(t.Context(), src, 0, false, 0, 10_000, got, nil); err != nil {
			return err
		}
		if !bytes.Equal(got, words) {
			t.Error("other rows than were written")
		}
		return nil
	}
	if err := read(locate(path, os.O_RDWR)); err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]func(*parcel.Located){
		"another file":              func(l *parcel.Located) { l.File = locate(secret, os.O_RDONLY).File },
		"another inode":             func(l *parcel.Located) { l.Inode++ },
		"another device":            func(l *parcel.Located) { l.Device++ },
		"another length":            func(l *parcel.Located) { l.Size-- },
		"no descriptor":             func(l *parcel.Located) { l.File = 1 << 40 },
		"a pipe":                    func(l *parcel.Located) { *l = *locate(fifo, os.O_RDWR) },
		"a directory":               func(l *parcel.Located) { *l = *locate(dir, os.O_RDONLY) },
		"no checksums":              func(l *parcel.Located) { l.Sums = nil },
		"checksums of another file": func(l *parcel.Located) { l.Sums = append([]uint64{l.Sums[0] + 1}, l.Sums[1:]...) },
		"too many checksums":        func(l *parcel.Located) { l.Sums = append(l.Sums, 1) },
	} {
		l := locate(path, os.O_RDONLY)
		if at(l); read(l) == nil {
			t.Errorf("%s: it was read", name)
		}
	}
	if src, err := openAt(1<<22+1, locate(path, os.O_RDONLY)); err == nil {
		src.Close()
		t.Error("a process that is none: it was read")
	}
}
