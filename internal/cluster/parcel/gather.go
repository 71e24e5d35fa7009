package parcel

// What a Gather wants.
const (
	gatherRows  byte = iota
	gatherNull       // and whether they are present
	gatherWhere      // nodes of before refuse it
)

// Append adds the gather's bytes, a Read's payload, to dst.
func (g *Gather) Append(dst []byte) []byte {
	dst = appendUint(dst, uint64(g.Set))
	dst = appendUint(dst, uint64(g.Column))
	how := gatherRows
	switch {
	case g.Where:
		how = gatherWhere
	case g.Null:
		how = gatherNull
	}
	dst = append(dst, how)
	dst = appendNumbers(dst, g.Rows)
	if len(g.Rows) == 0 {
		dst = appendSpan(dst, g.Lo, g.Hi)
	}
	return dst
}

// ReadGather reads a Read's payload.
func ReadGather(b []byte) (*Gather, error) {
	r := reader{b: b, part: "gather"}
	g := &Gather{Set: r.word("set"), Column: r.column()}
	how := r.byte(gatherWhere, "how")
	g.Null, g.Where = how == gatherNull, how == gatherWhere
	if n := r.count(len(b), 1, "rows"); n > 0 {
		g.Rows = make([]int64, n)
		for i := range g.Rows {
			g.Rows[i] = r.natural("row")
		}
	} else {
		g.Lo, g.Hi = r.span("rows")
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	return g, nil
}
