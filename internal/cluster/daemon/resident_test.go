package daemon

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/engine/codegen/codegentest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func TestMain(m *testing.M) { os.Exit(codegentest.Main(m)) }

// longRows are more than kernel memory of longMemory bytes holds.
const (
	longRows   = 300_000
	longMemory = 1 << 20
)

// long is a daemon with little kernel memory, and a shard of which the column lies in a file.
func long(t *testing.T, opt engine.Options) (*Daemon, shard) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "long.npy")
	all := make([]uint64, longRows)
	for i := range all {
		all[i] = uint64(i) * 3
	}
	out := &data.Output{Columns: []data.OutColumn{{Name: "value", Kind: num.I64, Values: words(all...)}}, Rows: longRows}
	must(t, data.Write(path, out))
	src, err := data.Open(path)
	must(t, err)
	opt.Memory = longMemory
	eng, err := engine.New(opt)
	must(t, err)
	d := &Daemon{eng: eng, columns: newColumns(eng)}
	t.Cleanup(func() {
		d.columns.close()
		_ = eng.Close()
		_ = src.Close()
	})
	set := &catalog.Set{ID: 1, Name: "long", Rows: longRows, Columns: []catalog.Column{{Name: "value", Kind: num.I64}}, Shards: []catalog.Shard{{Lo: 0, Hi: longRows}}}
	return d, shard{set, 0, &set.Shards[0], src, nil}
}

// A column that kernel memory does not hold is mapped, and walked where it lies: by native code, or interpreted.
func TestLongColumn(t *testing.T) {
	t.Run("native", func(t *testing.T) {
		d, sh := long(t, engine.Options{Codegen: codegentest.Service(t, "")})
		for range 2 {
			got, err := advanced(t, d, sh, honest)
			if err != nil || !bytes.Equal(got, words(5, 7)) {
				t.Fatalf("%v, %x", err, got)
			}
		}
		r, err := d.columns.acquire(t.Context(), sh.src, place{1, 0, 0}, false)
		must(t, err)
		defer d.columns.release(r)
		if !r.outside() || r.copied() || r.least != 0 || r.most != 3*(longRows-1) || d.columns.bytes() < 8*longRows {
			t.Errorf("outside %v, copied %v, from %d to %d, %d bytes held", r.outside(), r.copied(), r.least, r.most, d.columns.bytes())
		}
		if used := d.eng.Arena().InUse(); used > longMemory {
			t.Errorf("%d bytes of kernel memory are in use", used)
		}
	})
	t.Run("wasm", func(t *testing.T) {
		d, sh := long(t, engine.Options{Tier: engine.Wasm})
		for range 2 {
			if got, err := advanced(t, d, sh, honest); err != nil || !bytes.Equal(got, words(5, 7)) {
				t.Fatalf("%v, %x", err, got)
			}
		}
		d.columns.mu.Lock()
		defer d.columns.mu.Unlock()
		for _, r := range d.columns.held {
			if r.users != 0 || !r.outside() {
				t.Errorf("%d users are left, outside %v", r.users, r.outside())
			}
		}
	})
}

// Whoever wants to write to a mapped file waits only until it is let go, and what was read before is an error if it
// was in use.
func TestLongColumnChanges(t *testing.T) {
	d, sh := long(t, engine.Options{Tier: engine.Wasm})
	r, err := d.columns.acquire(t.Context(), sh.src, place{1, 0, 0}, true)
	must(t, err)
	must(t, r.changed())
	opened := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(sh.src.Path(), os.O_WRONLY, 0)
		if err == nil {
			err = f.Close()
		}
		opened <- err
	}()
	eventually(t, "the column is forgotten", func() bool { return !d.columns.has(r.place) })
	if bad := (*data.ChangedError)(nil); !errors.As(r.changed(), &bad) {
		t.Errorf("%v, expected that the file was changed", r.changed())
	}
	d.columns.release(r)
	must(t, <-opened)
	if r.pages != nil || r.lease != nil {
		t.Error("the file is still mapped")
	}
	again, err := d.columns.acquire(t.Context(), sh.src, place{1, 0, 0}, true)
	must(t, err)
	defer d.columns.release(again)
	must(t, again.changed())
}
