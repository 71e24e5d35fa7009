package parcel

import (
	"bytes"
	"encoding/binary"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/packages/pack"
)

// evil is bytes that a reader must refuse, and a part of what it must say.
type evil struct {
	name  string
	bytes []byte
	want  string
}

// v is a number as it is written.
func v(n uint64) []byte { return binary.AppendUvarint(nil, n) }

// cat puts bytes, numbers below 128 and further lists in a row.
func cat(parts ...any) (b []byte) {
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = append(b, byte(p))
		case []byte:
			b = append(b, p...)
		case string:
			b = append(b, p...)
		}
	}
	return b
}

func zeros(n int) []byte { return make([]byte, n) }

const (
	i64 = int(num.I64)
	all = math.MaxUint64
)

var (
	long = cat(0x80, 0)                   // 0 in two bytes
	over = bytes.Repeat([]byte{0xff}, 10) // more than 64 bits
	huge = v(1 << 62)                     // a number that no count may be
	wide = v(1 << 32)                     // one more than 32 bits hold
)

// head is a header of zeros but for its first bytes.
func head(first, flags byte, rest ...byte) []byte {
	return cat(int(first), int(flags), zeros(HeaderSize-2), rest)
}

// coded is head with a code.
func coded(first, flags byte, rest ...byte) []byte {
	b := head(first, flags, rest...)
	b[20] = 1
	return b
}

func v1(k Kind) byte { return Version<<4 | byte(k) }

var evilHeaders = []evil{
	{"nothing", nil, "expected 28 bytes, found 0"},
	{"one byte short", zeros(27), "expected 28 bytes, found 27"},
	{"another version", head(2<<4|byte(Cancel), 0), "version: expected 1, found 2"},
	{"version 0", head(byte(Cancel), 0), "version: expected 1, found 0"},
	{"no kind", head(v1(BadKind), 0), "kind: expected a kind of parcel, found 0"},
	{"unknown kind", head(v1(0), 0), "found 0"},
	{"unknown flag", head(v1(Status), 1<<7), "flags"},
	{"all flags", coded(v1(Run), 0xff), "flags"},
	{"a result with code", head(v1(Result), byte(Carries), 1, 0), "which a result may have, found 0x1"},
	{"a put with code", head(v1(Put), byte(Carries), 1, 0), "which a put may have"},
	{"the last of a request", coded(v1(Run), byte(Last)), "which a run may have, found 0x4"},
	{"preinstalled result", head(v1(Result), byte(Builtin)), "flags"},
	{"kernel and preinstalled", coded(v1(Walk), byte(Carries|Builtin), 1, 0), "either a kernel or a preinstalled function, found both"},
	{"a run of nothing", head(v1(Run), 0), "code: expected the prefix of a kernel's or package's hash, found 0"},
	{"a need of nothing", head(v1(NeedCode), 0), "code: expected the prefix"},
	{"no length of code", coded(v1(Run), byte(Carries)), "bytes of code: expected 1 bytes, found 0"},
	{"empty code", coded(v1(Run), byte(Carries), 0), "bytes of code: expected at least 1, found 0"},
	{"code longer than the parcel", coded(v1(Run), byte(Carries), 9, 1, 2), "expected at most 2 in the bytes that are left, found 9"},
	{"code longer than kernels are", coded(v1(Run), byte(Carries), v(kernel.MaxBytes+1)...), "expected at most 65536, found 65537"},
	{"a package longer than packages are", coded(v1(Send), byte(Carries), v(pack.MaxBytes+1)...), "expected at most 16777216, found 16777217"},
	{"a preinstalled package", coded(v1(Send), byte(Builtin)), "which a send may have, found 0x2"},
	{"a send of nothing", head(v1(Send), 0), "code: expected the prefix"},
	{"code of 2^62 bytes", coded(v1(Run), byte(Carries), huge...), "bytes of code: expected at most 65536"},
	{"length of code in a longer form", coded(v1(Run), byte(Carries), 0x81, 0, 7), "shortest form"},
	{"a cancel with payload", head(v1(Cancel), 0, 0), "end: expected nothing more, found 1 bytes"},
	{"a need with payload", coded(v1(NeedCode), 0, 1, 2), "found 2 bytes"},
	{"code with payload", coded(v1(Code), byte(Carries), 1, 7, 9), "found 1 bytes"},
	{"too long", zeros(MaxBytes + 1), "length: expected at most 67108864 bytes, found 67108865"},
}

var evilTasks = []evil{
	{"nothing", nil, "set: expected 1 bytes, found 0"},
	{"set of 33 bits", cat(wide, zeros(6)), "set: expected at most 4294967295"},
	{"set in a longer form", cat(long, zeros(6)), "byte 0: set: expected a number of 64 bits in its shortest form"},
	{"a number of 70 bits", cat(over, zeros(6)), "in its shortest form, found a longer one"},
	{"an unending number", bytes.Repeat([]byte{0x80}, 40), "found a longer one"},
	{"too many sizes", cat(0, v(kernel.MaxSizes+1), zeros(9000)), "sizes: expected at most 1024, found 1025"},
	{"more sizes than bytes", cat(0, 60, 1, 2), "sizes: expected at most 2 in the bytes that are left, found 60"},
	{"a negative size", cat(0, 1, v(all), zeros(5)), "size: expected at most 9223372036854775807"},
	{"2^62 scalars", cat(0, 0, huge), "scalars: expected at most 256"},
	{"more scalars than bytes", cat(0, 0, v(256)), "scalars: expected at most 0 in the bytes that are left"},
	{"2^62 operands", cat(0, 0, 0, huge), "operands: expected at most 1024"},
	{"a way to bind that is none", cat(0, 0, 0, 1, 5, 0, 0, 0), "operand: expected a way to bind it"},
	{"absent but optional", cat(0, 0, 0, 1, 8, 0, 0, 0), "operand: expected a way to bind it"},
	{"inline presence", cat(0, 0, 0, 1, int(Inline)|presenceBit, zeros(6)), "flags only if it is stored"},
	{"unknown operand flag", cat(0, 0, 0, 1, int(Stored)|1<<7, zeros(6)), "found 129"},
	{"a way to read blanks that is none", cat(0, 0, 0, 1, int(Stored)|3<<blanksShift, zeros(6)), "found 97"},
	{"blanks of an option", cat(0, 0, 0, 1, int(Stored)|optionBit|1<<blanksShift, zeros(6)), "found 41"},
	{"blanks inline", cat(0, 0, 0, 1, int(Inline)|1<<blanksShift, zeros(6)), "flags only if it is stored"},
	{"column 65536", cat(0, 0, 0, 1, int(Stored), v(MaxColumn+1), zeros(6)), "column: expected at most 65535, found 65536"},
	{"a negative bound", cat(0, 0, 0, 1, int(Stored), 0, v(all), zeros(6)), "bound: expected at most 9223372036854775807"},
	{"an operand longer than the rest", cat(0, 0, 0, 1, int(Inline), 0, 100, 1, 2, 3), "operand: expected at most 3 in the bytes that are left, found 100"},
	{"an operand of 2^62 bytes", cat(0, 0, 0, 1, int(InOut), 0, huge), "operand: expected at most 67108864"},
	{"first element 2^63", cat(0, 0, 0, 1, int(Inline), v(1<<63), zeros(6)), "first element: expected at most 9223372036854775807"},
	{"partial neither there nor not", cat(0, 0, 0, 0, 4, 0, 0), "partial: expected at most 1, found 4"},
	{"what is kept without a first", cat(0, 0, 0, 1, int(Out), 3, 0, 8, 0, 0, 0, 0, 0), "first: expected how many elements are needed, at least 1, found 0"},
	{"what is kept counted by nothing", cat(0, 0, 0, 0, 2, 0, 0, 0, 0), "counts: expected the number of an operand that is out"},
	{"what is kept counted by bytes", cat(0, 0, 0, 1, int(Inline), 0, 0, 2, 0, 0, 0, 0), "counts: expected the number of an operand that is out"},
	{"what is kept counted by operand 2^62", cat(0, 0, 0, 1, int(Out), 2, huge, 0), "counts: expected at most"},
	{"2^63 bytes kept", cat(0, 0, 0, 1, int(Out), 2, 0, v(1<<63)), "most bytes: expected at most 9223372036854775807"},
	{"partial of nothing", cat(0, 0, 0, 0, 1, zeros(8), 0, 0, 1, 0, 0), "code: expected the prefix of a kernel's hash, found 0"},
	{"block of 3", cat(0, 0, 0, 0, 1, 1, zeros(7), 0, 0, 3, 0, 0), "block: expected a power of two, found 3"},
	{"block of 0", cat(0, 0, 0, 0, 1, 1, zeros(7), 0, 0, 0, 0, 0), "block: expected a power of two, found 0"},
	{"outer indices beyond 2^63", cat(0, 0, 0, 0, 0, v(math.MaxInt64), 1), "outer indices: expected at most 0, found 1"},
	{"outer indices from above to below", cat(0, 0, 0, 0, 0, 9, v(all)), "outer indices: expected at most"},
	{"an extent beyond 2^63", cat(0, 0, 0, 1, int(Out), 0, 0, 0, v(math.MaxInt64), v(math.MaxInt64)), "extent: expected at most 0"},
	{"an extent missing", cat(0, 0, 0, 1, int(Out), 0, 0, 0), "extent: expected 1 bytes, found 0"},
	{"a byte too many", zeros(8), "byte 7: end: expected nothing more, found 1 bytes"},
}

var evilTrees = []evil{
	{"no pieces", zeros(6), "pieces: expected at least 1, found 0"},
	{"more pieces than bytes", cat(zeros(5), 50, zeros(9)), "pieces: expected at most 2 in the bytes that are left, found 50"},
	{"too many pieces", cat(zeros(5), v(MaxPieces+1), zeros(9)), "pieces: expected at most 65536"},
	{"an owner of 33 bits", cat(zeros(5), 1, wide, 0, 0, 0), "owner: expected at most 4294967295"},
	{"shard 2^31", cat(zeros(5), 1, 0, v(1<<31), 0, 0), "shard: expected at most 2147483647"},
	{"an overlap", cat(zeros(5), 2, 1, 0, 0, 5, 1, 0, 4, 1), "outer indices: expected at least 5, where the piece before ends, found 4"},
	{"an extent missing", cat(0, 0, 0, 1, int(Out), 0, 1, 0, 0, 0, 5), "pieces: expected at most 0 in the bytes that are left"},
}

// batchOf is a batch up to the kinds of its columns.
func batchOf(rest ...any) []byte { return cat(zeros(5), cat(rest...)) }

var evilBatches = []evil{
	{"no columns", batchOf(0, 0, 0), "state columns: expected the wanted row and the id, both i64, and then others, found []"},
	{"one column", batchOf(1, i64, 0, 0), "found [i64]"},
	{"a float for the wanted row", batchOf(2, int(num.F64), i64, 2, 0), "found [f64 i64]"},
	{"a narrow id", batchOf(2, i64, int(num.U32), 2, 0), "found [i64 u32]"},
	{"a kind that is none", batchOf(3, i64, i64, 12, 2, 0), "byte 8: kind: expected a kind of number, found 12"},
	{"kind 0", batchOf(3, i64, i64, 0, 2, 0), "kind: expected a kind of number, found 0"},
	{"too many columns", batchOf(65, bytes.Repeat([]byte{byte(i64)}, 65)), "state columns: expected at most 64, found 65"},
	{"keep without ids", batchOf(2, i64, i64, 1, 0), "keep: expected column 1 and others of the 2, found 1"},
	{"keep a column that is not there", batchOf(2, i64, i64, 6, 0), "found 6"},
	{"fewer values than states", batchOf(2, i64, i64, 2, 0, 3, zeros(47)), "states: expected 48 bytes of values for 3, found 47"},
	{"more values than states", batchOf(2, i64, i64, 2, 0, 1, zeros(17)), "states: expected 16 bytes of values for 1, found 17"},
	{"2^62 states", batchOf(2, i64, i64, 2, 0, huge), "states: expected at most 4194304"},
	{"states that would overflow", batchOf(2, i64, i64, 2, 0, v(MaxStates)), "states: expected 67108864 bytes of values"},
	{"faults out of order", batchOf(2, i64, i64, 2, 2, 3, 0, 2, 1, 0), "site: expected more than 3, the one before, found 2"},
	{"2^62 faults", batchOf(2, i64, i64, 2, huge), "faults: expected at most 65536"},
	{"too many far columns", cat(0, 0, 0, v(1025), zeros(9999)), "columns: expected at most 1024, found 1025"},
	{"a far column 2^40", cat(0, 0, 0, 1, v(1<<40), 0, zeros(9)), "column: expected at most 65535"},
	{"2^62 near regions", cat(0, 0, 0, 0, huge), "near regions: expected at most 1024"},
	{"a near region longer than the rest", cat(0, 0, 0, 0, 1, 90, zeros(5)), "near regions: expected at most 5 in the bytes that are left, found 90"},
}

var evilGathers = []evil{
	{"what is wanted is none of three", cat(0, 0, 3, 0, 0, 0), "how: expected at most 2, found 3"},
	{"more rows than bytes", cat(0, 0, 0, 5, 1, 2), "rows: expected at most 2 in the bytes that are left, found 5"},
	{"2^62 rows", cat(0, 0, 0, huge, 1), "rows: expected at most"},
	{"a negative row", cat(0, 0, 0, 1, v(all)), "row: expected at most 9223372036854775807"},
	{"a range beyond 2^63", cat(0, 0, 0, 0, v(math.MaxInt64), 1), "rows: expected at most 0, found 1"},
	{"rows and a range", cat(0, 0, 0, 1, 7, 0, 9), "end: expected nothing more"},
}

var evilBlobs = []evil{
	{"offset behind the end", cat(0, 0, 0, 0, 10, 11, zeros(32)), "offset: expected at most 10, found 11"},
	{"bytes behind the end", cat(0, 0, 0, 0, 10, 8, zeros(32), 1, 2, 3), "bytes: expected at most 2 to the end of the file, found 3"},
	{"half a sum", cat(0, 0, 0, 0, 10, 8, zeros(16)), "sum: expected 32 bytes, found 16"},
	{"shard 2^31", cat(0, v(1<<31), zeros(40)), "shard: expected at most 2147483647"},
	{"a negative total", cat(0, 0, 0, 0, v(all), 0, zeros(32)), "total: expected at most 9223372036854775807"},
	{"rows beyond 2^63", cat(0, 0, v(math.MaxInt64), 2, 0, 0, zeros(32)), "rows: expected at most 0, found 2"},
}

var evilParts = []evil{
	{"nothing", nil, "set: expected 1 bytes, found 0"},
	{"shard 2^31", cat(0, v(1<<31), zeros(40)), "shard: expected at most 2147483647"},
	{"too many bytes", cat(0, 0, 0, v(MaxPart+1), zeros(32)), "bytes: expected at most 4194304, found 4194305"},
	{"bytes beyond 2^63", cat(0, 0, v(math.MaxInt64), 2, zeros(32)), "bytes: expected at most 0, found 2"},
	{"half a sum", cat(0, 0, 0, 1, zeros(16)), "sum: expected 32 bytes, found 16"},
	{"more than that", cat(0, 0, 0, 1, zeros(33)), "end: expected nothing more"},
}

var evilAnswers = []evil{
	{"hops of 33 bits", cat(wide, zeros(9)), "hops: expected at most 4294967295"},
	{"too many states", cat(zeros(6), v(MaxStates+1), 0, 0, 0), "states: expected at most 4194304"},
	{"the same site twice", cat(zeros(7), 2, 3, 0, 3, 1, 0, 0), "site: expected more than 3, the one before, found 3"},
	{"sites out of order", cat(zeros(7), 2, 3, 0, 2, 1, 0, 0), "found 2"},
	{"a site that no kernel has", cat(zeros(7), 1, v(kernel.MaxSites), 0, 0, 0), "site: expected at most 65535, found 65536"},
	{"a place that means none", cat(zeros(7), 1, 0, v(1<<63), 0, 0), "place: expected at most 9223372036854775807"},
	{"2^62 faults", cat(zeros(7), huge), "faults: expected at most 65536"},
	{"2^62 extents", cat(zeros(8), huge), "extents: expected at most 65536"},
	{"an extent without a column", cat(zeros(8), 1, 0, 0, 0), "number of extents: expected none or as many as columns, 0, found 1"},
	{"a column longer than the rest", cat(zeros(9), 1, 99, 1), "columns: expected at most 1 in the bytes that are left, found 99"},
	{"too many columns", cat(zeros(9), v(MaxAnswer+1), zeros(999)), "columns: expected at most 65536, found 65537"},
}

var evilCalls = []evil{
	{"nothing", nil, "share: expected 1 bytes, found 0"},
	{"more than the whole", cat(v(Whole+1), 0), "share: expected at most 4611686018427387904"},
	{"2^62 grants", cat(0, huge), "grants: expected at most 64"},
	{"more grants than bytes", cat(0, 9, zeros(8)), "grants: expected at most 2 in the bytes that are left, found 9"},
	{"a name of 65 bytes", cat(0, 1, 65, zeros(99)), "bytes of a name: expected at most 64, found 65"},
	{"no name", cat(0, 1, 0, zeros(9)), "name: expected letters, digits and _, found other bytes, or none"},
	{"a name that begins with a digit", cat(0, 1, 2, "1a", 0, 8), "name: expected letters"},
	{"a name with a zero", cat(0, 1, 2, "a\x00", 0, 8), "name: expected letters"},
	{"two grants of one name", cat(0, 2, 1, "a", 0, 8, 1, "a", 1, 8), "name: expected a name that no other grant has, found \"a\""},
	{"a grant of no kind", cat(0, 1, 1, "a", 3, 8), "grant: expected at most 2, found 3"},
	{"an empty region", cat(0, 1, 1, "a", 1, 0), "bytes of a region: expected at least 1, found 0"},
	{"a negative region", cat(0, 1, 1, "a", 1, v(all)), "bytes of a region: expected at most 9223372036854775807"},
	{"column 65536", cat(0, 1, 1, "a", 2, 1, v(MaxColumn+1)), "column: expected at most 65535, found 65536"},
}

var evilFailures = []evil{
	{"no reason", zeros(7), "reason: expected a reason, found 0"},
	{"a reason that is none", cat(int(reasons), zeros(6)), "reason: expected at most 11, found 12"},
	{"shard 2^31", cat(1, 0, 0, v(1<<31+1), 0, 0, 0), "shard: expected at most 2147483648, found 2147483649"},
	{"a novel", cat(1, 0, 0, 0, 0, v(MaxDetail+1), zeros(MaxDetail+1), 0), "detail: expected at most 4096"},
	{"bytes for words", cat(1, 0, 0, 0, 0, 2, "\xff\xfe", 0), "detail: expected UTF-8, found other bytes"},
	{"states neither there nor not", cat(1, 0, 0, 0, 0, 0, 7), "states: expected at most 1, found 7"},
	{"states that are not there", cat(1, 0, 0, 0, 0, 0, 1), "failure, byte 7: set: expected 1 bytes, found 0"},
	{"states with a false kind", cat(1, 0, 0, 0, 0, 0, 1, zeros(5), 2, i64, 13, 2, 0), "found [i64 invalid]"},
	{"something after no states", cat(1, 0, 0, 0, 0, 0, 0, 0), "end: expected nothing more"},
}

func refuses[T any](read func([]byte) (T, error)) func([]byte) error {
	return func(b []byte) error {
		_, err := read(b)
		return err
	}
}

// TestEvilParcels gives every reader bytes that somebody made by hand. Each is
// refused, for the right reason, and takes next to no memory.
func TestEvilParcels(t *testing.T) {
	n := 0
	for part, of := range map[string]struct {
		read func([]byte) error
		list []evil
	}{
		"header":  {refuses(Decode), evilHeaders},
		"task":    {refuses(ReadTask), evilTasks},
		"tree":    {refuses(ReadTree), evilTrees},
		"batch":   {refuses(readBatch), evilBatches},
		"gather":  {refuses(ReadGather), evilGathers},
		"blob":    {refuses(ReadBlob), evilBlobs},
		"part":    {refuses(ReadPart), evilParts},
		"call":    {refuses(ReadCall), evilCalls},
		"answer":  {refuses(ReadAnswer), evilAnswers},
		"failure": {refuses(ReadFailure), evilFailures},
	} {
		for _, e := range of.list {
			n++
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			err := of.read(e.bytes)
			runtime.ReadMemStats(&after)
			switch {
			case err == nil:
				t.Errorf("%s, %s: accepted", part, e.name)
			case !strings.Contains(err.Error(), e.want) || !strings.HasPrefix(err.Error(), "parcel: "+part):
				t.Errorf("%s, %s: refused with %q, not %q", part, e.name, err, e.want)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 32<<10 {
				t.Errorf("%s, %s: %d bytes of memory for %d that were sent", part, e.name, used, len(e.bytes))
			}
		}
	}
	if n < 60 {
		t.Errorf("only %d parcels", n)
	}
}

// TestEvilSenders makes parcels that nobody would accept.
func TestEvilSenders(t *testing.T) {
	for _, e := range []struct {
		name string
		p    Parcel
		want string
	}{
		{"a kind that is none", Parcel{Header: Header{Kind: 16}}, "kind"},
		{"a kind that looks like another", Parcel{Header: Header{Kind: 16 + Status}}, "there is no kind 24"},
		{"code that is not announced", Parcel{Header: Header{Kind: Run, Code: 1}, Code: []byte{1}}, "but the flag Carries is not set"},
		{"code that is announced and missing", Parcel{Header: Header{Kind: Run, Code: 1, Flags: Carries}}, "expected at least 1"},
		{"a cancel with payload", Parcel{Header: Header{Kind: Cancel}, Payload: []byte{1}}, "expected nothing more"},
		{"too much", Parcel{Header: Header{Kind: Put}, Payload: make([]byte, MaxBytes)}, "length"},
	} {
		b, err := e.p.Append([]byte("kept"))
		if err == nil || !strings.Contains(err.Error(), e.want) {
			t.Errorf("%s: %v", e.name, err)
		}
		if string(b) != "kept" {
			t.Errorf("%s: %d bytes were left behind", e.name, len(b))
		}
	}
}

// TestIdentify: a kernel that travels under another's name is found out.
func TestIdentify(t *testing.T) {
	code := []byte("some kernel")
	p := PrefixOf(kernel.Hash(code))
	if id, err := p.Identify(code); err != nil || id != kernel.Hash(code) {
		t.Error(err)
	}
	if _, err := p.Identify([]byte("some other")); err == nil || !strings.Contains(err.Error(), "announced as "+p.String()) {
		t.Error(err)
	}
	if !strings.HasPrefix(kernel.Hash(code).String(), p.String()) {
		t.Errorf("%s does not begin with %s", kernel.Hash(code), p)
	}
}

// TestDetail: what an error says travels, however long and in whatever bytes.
func TestDetail(t *testing.T) {
	for in, want := range map[string]string{
		"":                                   "",
		"a\xffb":                             "a\uFFFDb",
		strings.Repeat("é", MaxDetail):       strings.Repeat("é", MaxDetail/2),
		"x" + strings.Repeat("é", MaxDetail): "x" + strings.Repeat("é", MaxDetail/2-1),
	} {
		f, err := ReadFailure((&Failure{Reason: Busy, Detail: in, Shard: -1}).Append(nil))
		if err != nil {
			t.Fatal(err)
		}
		if f.Detail != want {
			t.Errorf("%d bytes became %d", len(in), len(f.Detail))
		}
	}
}

// TestNames: everything has a name for people, also what is not there.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for k := range kinds {
		seen[k.String()] = true
	}
	for r := range reasons {
		seen[r.String()] = true
	}
	for h := range hows {
		seen[h.String()] = true
	}
	if n := int(kinds) + int(reasons) + int(hows) - 1; len(seen) != n || seen[""] { // both kinds and reasons have a bad one
		t.Errorf("%d names for %d things", len(seen), n)
	}
	for got, want := range map[string]string{kinds.String(): "kind 16", reasons.String(): "reason 12", hows.String(): "operand 5"} {
		if got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
