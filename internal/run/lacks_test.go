package run

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// TestMoreThanThereIs: what needs more memory than the machine has left is refused before it runs, and nothing of it stays; what needs less runs.
func TestMoreThanThereIs(t *testing.T) {
	e := newEngine(t, engine.Wasm)
	const n, m = 10, 9 << 20
	in := columns(n, Column(data.FromSlice(make([]uint16, n)), 0), Column(chop([]data.Column{{Kind: num.F64}}, m, [][]byte{make([]byte, 8*m)}, nil, 1<<20), 0))
	in.Sizes["M"] = m
	defer func(was func() int64) { left = was }(left)
	for _, have := range []int64{70 << 20, math.MaxInt64} {
		left = func() int64 { return have }
		before := e.Arena().InUse()
		_, err := Run(context.Background(), &gatherPlan().Schedule, in, Options{Engine: e, Threads: 1})
		var full *SpaceError
		if have == math.MaxInt64 {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if !errors.As(err, &full) || full.Limit != have || !strings.Contains(err.Error(), "this machine, or the group that the process is in, has no more left") {
			t.Errorf("72 MiB of 70: %v", err)
		}
		if n := e.Arena().InUse(); n > before+1<<20 {
			t.Errorf("%d bytes are in use after a call that was refused, %d before", n, before)
		}
	}
}

// TestNoMoreAddressSpace: what the system maps no memory for is named, with what to do.
func TestNoMoreAddressSpace(t *testing.T) {
	defer func(was func() int64) { left = was }(left)
	left = func() int64 { return math.MaxInt64 }
	defer func(was func() (int64, bool)) { addressSpace = was }(addressSpace)
	for _, limited := range []bool{false, true} {
		addressSpace = func() (int64, bool) { return 3 << 30, limited }
		m := &memory{opt: Options{Resident: math.MaxInt64, beyond: true}, about: []about{{kind: num.I64, name: "pairs"}}, buffers: make([]buffer, 1), inputs: make([]*input, 1)}
		err := m.roomForeign(0, 1<<45, "", false)
		var full *SpaceError
		if !errors.As(err, &full) || full.Name != "pairs" || limited != (full.Limit == 3<<30) || limited != strings.Contains(err.Error(), "ulimit -v") || !strings.Contains(err.Error(), "join_all::<K>") {
			t.Errorf("2^48 bytes, limited %t: %v", limited, err)
		}
	}
}
