package daemon

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/run"
)

// What a task would write is known before it runs, also from numbers that nobody means.
func TestWritten(t *testing.T) {
	p := &run.Piece{
		Kernel: &engine.Compiled{Kernel: &kernel.Kernel{Regions: []kernel.Region{{Elem: num.F64}, {Elem: num.U8}, {Elem: num.I32}}}},
		Operands: []run.Operand{
			run.Out{Count: 1000},
			run.InOut{Bytes: make([]byte, 30)},
			run.Inline{Bytes: make([]byte, 400)},
		},
	}
	if n := written(p); n != 8030 {
		t.Errorf("%d bytes are written, expected 8030", n)
	}
	p.Operands[0] = run.Out{Count: math.MaxInt64 / 64}
	if n := written(p); n < math.MaxInt64/16 {
		t.Errorf("%d bytes are written, expected more than any limit", n)
	}
	whole, rows := &parcel.Task{}, &parcel.Task{Partial: parcel.Partial{Code: 1}}
	for _, c := range []struct {
		t     *parcel.Task
		bytes int64
		ok    bool
	}{
		{whole, parcel.MaxBytes - answerRest, true},
		{whole, parcel.MaxBytes, false},
		{rows, rowsMost, true},
		{rows, rowsMost + 1, false},
	} {
		err := bounded(c.t, c.bytes)
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), "at a time") {
			t.Errorf("%d bytes, partial %d: %v", c.bytes, c.t.Partial.Code, err)
		}
	}
}

// An owner leaves room to others, and has all of it when it is alone and has nothing.
func TestRooms(t *testing.T) {
	r := &rooms{size: 100 << 20}
	busy := func(owner string, mib int64) {
		t.Helper()
		if _, err := r.take(owner, mib<<20); err == nil || !errors.As(err, new(*node.WorkError)) {
			t.Errorf("%s got %d MiB: %v", owner, mib, err)
		}
	}
	gets := func(owner string, mib int64) func() {
		t.Helper()
		release, err := r.take(owner, mib<<20)
		if err != nil {
			t.Fatal(err)
		}
		return release
	}
	all := gets("a", 100)
	busy("b", 2)
	gets("b", 1)() // it is not counted
	all()
	first := gets("a", 30)
	second := gets("a", 15)
	busy("a", 10) // 55 would be more than the 45 that were left
	other := gets("b", 50)
	busy("c", 10)
	for _, release := range []func(){first, second, other} {
		release()
	}
	if r.all != 0 || len(r.of) != 0 {
		t.Errorf("%d bytes of %d owners are left", r.all, len(r.of))
	}
}
