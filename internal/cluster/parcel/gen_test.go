package parcel

import (
	"math"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// The generators below make values in the form in which they are read: no
// empty lists but nil ones, and nothing in fields that do not apply.

func some(t *rapid.T, s string) int { return rapid.IntRange(0, 3).Draw(t, s) }

func natural(t *rapid.T) int64 {
	return rapid.OneOf(rapid.Int64Range(0, 300), rapid.Int64Range(0, math.MaxInt64)).Draw(t, "n")
}

func word(t *rapid.T) uint32 {
	return rapid.OneOf(rapid.Uint32Range(0, 300), rapid.Uint32()).Draw(t, "w")
}

func span(t *rapid.T) (lo, hi int64) {
	lo, hi = natural(t), natural(t)
	return min(lo, hi), max(lo, hi)
}

func extent(t *rapid.T) Extent {
	lo, hi := span(t)
	return Extent{lo, hi - lo}
}

func list[T any](t *rapid.T, item func(*rapid.T) T) (l []T) {
	for range some(t, "length") {
		l = append(l, item(t))
	}
	return l
}

func blob(t *rapid.T) []byte {
	b := rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "bytes")
	if len(b) == 0 {
		return nil
	}
	return b
}

func operand(t *rapid.T) Operand {
	o := Operand{How: How(rapid.IntRange(0, int(hows-1)).Draw(t, "how"))}
	switch o.How {
	case Stored:
		o.Column, o.Bound = rapid.IntRange(0, MaxColumn).Draw(t, "column"), natural(t)
		o.Option, o.Presence = rapid.Bool().Draw(t, "option"), rapid.Bool().Draw(t, "presence")
		if !o.Option && !o.Presence {
			o.Blanks = rapid.ByteRange(0, mostBlanks).Draw(t, "blanks")
		}
	case Inline, InOut:
		o.First, o.Bytes = natural(t), blob(t)
	case Out:
		e := extent(t)
		o.First, o.Count = e.First, e.Count
	}
	return o
}

func taskHead(t *rapid.T) Task {
	k := Task{Set: word(t), Sizes: list(t, natural), Scalars: list(t, scalar), Operands: list(t, operand)}
	var outs []int
	for i := range k.Operands {
		if k.Operands[i].How == Out {
			outs = append(outs, i)
		}
	}
	switch {
	case len(outs) > 0 && rapid.Bool().Draw(t, "keep"):
		k.Keep = &Keep{Counts: rapid.SampledFrom(outs).Draw(t, "counts"), Most: natural(t), First: rapid.Int64Range(0, 1<<40).Draw(t, "first")}
	case rapid.Bool().Draw(t, "partial"):
		k.Partial = Partial{
			Code: Prefix(rapid.Uint64Min(1).Draw(t, "code")), Kernel: blob(t),
			Sizes: list(t, natural), Block: 1 << rapid.IntRange(0, 62).Draw(t, "block"),
		}
	}
	return k
}

func task(t *rapid.T) *Task {
	k := taskHead(t)
	k.Lo, k.Hi = span(t)
	return &k
}

func tree(t *rapid.T) *Tree {
	v := &Tree{Task: taskHead(t), For: catalog.Peer(rapid.Uint32().Draw(t, "client"))}
	outs := 0
	for i := range v.Task.Operands {
		if o := &v.Task.Operands[i]; o.How == Out {
			o.First, o.Count = 0, 0
			outs++
		}
	}
	at := natural(t)
	for range 1 + some(t, "pieces") {
		at += min(rapid.Int64Range(0, 2).Draw(t, "gap"), math.MaxInt64-at)
		p := Piece{Owner: catalog.Peer(word(t)), Shard: word(t) >> 1, Lo: at, Hi: at + min(natural(t), math.MaxInt64-at)}
		for range outs {
			p.Outs = append(p.Outs, extent(t))
		}
		v.Pieces, at = append(v.Pieces, p), p.Hi
	}
	return v
}

func batch(t *rapid.T) *Batch {
	b := &Batch{
		Set: word(t), Sizes: list(t, natural), Scalars: list(t, scalar),
		Columns: list(t, func(t *rapid.T) Far { return Far{rapid.IntRange(0, MaxColumn).Draw(t, "column"), natural(t)} }),
		Near:    list(t, blob),
		States:  some(t, "states"),
		Kinds:   []byte{byte(num.I64), byte(num.I64)},
	}
	for range rapid.OneOf(rapid.IntRange(0, 3), rapid.Just(MaxKinds-2)).Draw(t, "more") {
		b.Kinds = append(b.Kinds, byte(rapid.IntRange(int(num.Bool), int(num.F64)).Draw(t, "kind")))
	}
	for _, k := range b.Kinds {
		n := b.States * num.Kind(k).Size()
		b.Values = append(b.Values, rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "values"))
	}
	b.Faults = faults(t)
	b.Keep = 2 | rapid.Uint64().Draw(t, "keep")>>(64-len(b.Kinds))
	return b
}

func gather(t *rapid.T) *Gather {
	g := &Gather{Set: word(t), Column: rapid.IntRange(0, MaxColumn).Draw(t, "column"), Rows: list(t, natural)}
	if g.Rows == nil {
		g.Lo, g.Hi = span(t)
	}
	how := rapid.IntRange(0, 2).Draw(t, "how")
	g.Null, g.Where = how == 1, how == 2
	return g
}

func part(t *rapid.T) *Part {
	p := &Part{Set: word(t), Shard: word(t) >> 1, Offset: natural(t)}
	p.Count = rapid.Int64Range(0, min(MaxPart, math.MaxInt64-p.Offset)).Draw(t, "count")
	copy(p.Sum[:], blob(t))
	return p
}

func file(t *rapid.T) *Blob {
	b := &Blob{Set: word(t), Shard: word(t) >> 1, Bytes: blob(t)}
	b.Lo, b.Hi = span(t)
	b.Offset, b.Total = span(t)
	b.Offset, b.Total = b.Offset/2, b.Total/2+int64(len(b.Bytes))
	copy(b.Sum[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "sum"))
	return b
}

func call(t *rapid.T) *Call {
	c := &Call{Share: rapid.Uint64Max(Whole).Draw(t, "share"), Grants: list(t, grant), Bytes: blob(t)}
	for i := range c.Grants {
		c.Grants[i].Name += string('a' + rune(i)) // no two alike
	}
	return c
}

func grant(t *rapid.T) Grant {
	g := Grant{Name: rapid.StringMatching(`[a-zA-Z_][a-zA-Z0-9_]{0,62}`).Draw(t, "name")}
	if rapid.Bool().Draw(t, "column") {
		g.Set, g.Column = word(t), rapid.IntRange(0, MaxColumn).Draw(t, "column")
	} else {
		g.Bytes, g.Write = max(1, natural(t)), rapid.Bool().Draw(t, "write")
	}
	return g
}

func answer(t *rapid.T) *Answer {
	a := &Answer{
		States: rapid.IntRange(0, MaxStates).Draw(t, "states"), Columns: list(t, blob), Hops: word(t),
		Steps: rapid.Uint64().Draw(t, "steps"), Micros: Timing{word(t), word(t), word(t), word(t)},
	}
	if rapid.Bool().Draw(t, "extents") {
		for range a.Columns {
			a.Extents = append(a.Extents, extent(t))
		}
	}
	a.Faults = faults(t)
	return a
}

func faults(t *rapid.T) (list []Fault) {
	site := uint32(0)
	for range some(t, "faults") {
		list = append(list, Fault{site, rapid.Int64Range(-1, math.MaxInt64-1).Draw(t, "place")})
		site += rapid.Uint32Range(1, 9).Draw(t, "gap")
	}
	return list
}

func failure(t *rapid.T) *Failure {
	f := &Failure{
		Reason: Reason(rapid.IntRange(1, int(reasons-1)).Draw(t, "reason")), Detail: rapid.StringN(0, 20, -1).Draw(t, "detail"),
		Node: catalog.Peer(word(t)), Set: word(t), Shard: rapid.Int32Min(-1).Draw(t, "shard"), Retry: word(t),
	}
	if rapid.Bool().Draw(t, "states") {
		f.States = batch(t)
	}
	return f
}

func scalar(t *rapid.T) uint64 { return rapid.Uint64().Draw(t, "scalar") }

func header(t *rapid.T) Header {
	h := Header{
		Kind: Kind(rapid.IntRange(1, int(kinds-1)).Draw(t, "kind")), Hops: uint16(word(t)), Left: word(t),
		Request: rapid.Uint64().Draw(t, "request"), Caller: catalog.Peer(word(t)), Code: Prefix(rapid.Uint64Min(1).Draw(t, "code")),
	}
	h.Flags = belongs[h.Kind] & Flags(rapid.SampledFrom([]Flags{0, Carries, Builtin, Last}).Draw(t, "flags"))
	return h
}

func parcel(t *rapid.T) *Parcel {
	p := &Parcel{Header: header(t), Payload: []byte{}}
	if p.Flags&Carries != 0 {
		p.Code = rapid.SliceOfN(rapid.Byte(), 1, 300).Draw(t, "code bytes")
	}
	if !empty[p.Kind] {
		p.Payload = rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "payload")
	}
	return p
}
