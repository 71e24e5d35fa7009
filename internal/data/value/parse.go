package value

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// ParseLiteral reads a value of type t as it is written on a command line:
// `3`, `2.5`, `true`, `[1, 2]`, `[[1, 2], [3, 4]]`, `(1, 2.0)`,
// `{delay: 3, distance: 4}`, `None`, `Some(3)`. A float may be written as an
// integer, or as NaN, inf or -inf.
//
// sizes holds the sizes known so far. A size of the type that is one plain
// name and not known yet is learned from the literal's length and added;
// nothing is added when there is an error. Indices are checked where their
// bound is known by then; CheckIndices does the rest.
func ParseLiteral(text string, t *graph.Type, sizes map[string]int64) (*Value, error) {
	p := &literals{text: text}
	l, err := p.value(t)
	if err != nil {
		return nil, err
	}
	if p.space(); p.at < len(p.text) {
		return nil, p.expect("the end of the value")
	}
	b := &binder{sizes: maps.Clone(sizes)}
	if b.sizes == nil {
		b.sizes = map[string]int64{}
	}
	if err := b.learn(t, l); err != nil {
		return nil, err
	}
	v, err := b.build(t, l)
	if err != nil {
		return nil, err
	}
	for i, leaf := range graph.Leaves(t) {
		if leaf.Type.Means.Sort == meaning.Text {
			v.Columns[i].Texts = p.texts
		}
	}
	if sizes != nil {
		maps.Copy(sizes, b.sizes)
	}
	return v, nil
}

// scalar reads one scalar.
func (p *literals) scalar(t *graph.Type) (literal, error) {
	r := literal{at: p.at}
	if t.Means.Sort != meaning.None {
		return p.meant(t)
	}
	w := p.word()
	bits, why := parseScalar(t, w)
	if why != "" {
		return r, failAt(r.at, "%s", why)
	}
	if w == "" {
		return r, p.expect(t.String())
	}
	r.bits = bits
	return r, nil
}

// meant reads a time, a decimal or text, with quotes around it or without.
func (p *literals) meant(t *graph.Type) (literal, error) {
	p.space()
	r := literal{at: p.at}
	w, ok := p.quoted()
	if !ok {
		from := p.at
		for p.at < len(p.text) && strings.IndexByte("()[]{}, \t\r\n", p.text[p.at]) < 0 {
			p.at++
		}
		w = p.text[from:p.at]
	}
	if t.Means.Sort == meaning.Text {
		if w == "" && !ok {
			return r, p.expect("text, such as \"SFO\"")
		}
		r.bits = uint64(slices.Index(p.texts, w))
		if int64(r.bits) < 0 {
			r.bits, p.texts = uint64(len(p.texts)), append(p.texts, w)
		}
		return r, nil
	}
	v, why := t.Means.Parse([]byte(w))
	switch {
	case why == meaning.Malformed:
		return r, failAt(r.at, "expected %s, found `%s`", t.Means.Form(), w)
	case why != "":
		return r, failAt(r.at, "expected %s, found `%s`: %s", t.Means.Form(), w, why)
	}
	r.bits = num.Canon(t.Num, uint64(v))
	return r, nil
}

// quoted reads text between double quotes.
func (p *literals) quoted() (string, bool) {
	if p.at >= len(p.text) || p.text[p.at] != '"' {
		return "", false
	}
	var b strings.Builder
	for i := p.at + 1; i < len(p.text); i++ {
		switch c := p.text[i]; {
		case c == '"':
			p.at = i + 1
			return b.String(), true
		case c == '\\' && i+1 < len(p.text):
			i++
			b.WriteString(map[byte]string{'n': "\n", 't': "\t"}[p.text[i]])
			if p.text[i] != 'n' && p.text[i] != 't' {
				b.WriteByte(p.text[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// parseScalar gives the bits of a word, or says why it is no value of t.
func parseScalar(t *graph.Type, w string) (bits uint64, why string) {
	k := t.KindOf()
	clean := strings.ReplaceAll(w, "_", "")
	switch {
	case w == "":
		return 0, ""
	case k == num.Bool:
		if w != "true" && w != "false" {
			return 0, fmt.Sprintf("expected true or false, found `%s`", w)
		}
		return toBits(w == "true"), ""
	case k.IsFloat():
		return parseFloat(k, w, clean)
	}
	return parseInt(t, k, w, clean)
}

func parseFloat(k num.Kind, w, clean string) (uint64, string) {
	width := k.Bits()
	x, err := strconv.ParseFloat(clean, width)
	switch {
	case w == "NaN":
		return num.FromFloat(k, math.NaN()), ""
	case w == "inf" || w == "-inf":
		return num.FromFloat(k, x), ""
	case err != nil && math.IsInf(x, 0):
		return 0, fmt.Sprintf("%s is too large for %s", w, k)
	case err != nil || math.IsInf(x, 0) || math.IsNaN(x):
		return 0, fmt.Sprintf("expected %s, found `%s`", k, w)
	}
	return num.FromFloat(k, x), ""
}

func parseInt(t *graph.Type, k num.Kind, w, clean string) (uint64, string) {
	var bits uint64
	var err error
	if k.IsSigned() {
		var n int64
		n, err = strconv.ParseInt(clean, 0, k.Bits())
		bits = uint64(n)
	} else {
		bits, err = strconv.ParseUint(clean, 0, k.Bits())
	}
	if err == nil {
		if t.Kind == graph.Index && int64(bits) < 0 {
			return 0, fmt.Sprintf("%s is no %s: it is below 0", w, t)
		}
		return bits, ""
	}
	if _, parses := strconv.ParseFloat(clean, 64); parses == nil {
		if strings.ContainsAny(w, ".eENi") && !strings.HasPrefix(clean, "0x") {
			return 0, fmt.Sprintf("expected %s, found `%s`, which is no integer", t, w)
		}
		return 0, fmt.Sprintf("%s does not fit %s: %d..=%d", w, k, k.MinInt(), k.MaxInt())
	}
	return 0, fmt.Sprintf("expected %s, found `%s`", t, w)
}

// binder gives sizes to what a literal shows.
type binder struct {
	sizes map[string]int64
	cols  [][]uint64
}

func (b *binder) lookup(name string) (int64, bool) {
	n, ok := b.sizes[name]
	return n, ok
}

// learn binds the plain sizes of t to the lengths in l.
func (b *binder) learn(t *graph.Type, l literal) error {
	if t.Kind == graph.Array {
		if err := b.bind(t.Size, l); err != nil {
			return err
		}
	}
	for i, item := range l.items {
		inner := t.Elems[0]
		if t.Kind == graph.Tuple {
			inner = t.Elems[i]
		}
		if err := b.learn(inner, item); err != nil {
			return err
		}
	}
	return nil
}

func (b *binder) bind(p size.Poly, l literal) error {
	name, plain := p.IsVar()
	if !plain {
		return nil
	}
	got := int64(len(l.items))
	if n, known := b.sizes[name]; known && n != got {
		return failAt(l.at, "%s is %d, but here %s", name, n, count(got))
	}
	b.sizes[name] = got
	return nil
}

func count(n int64) string {
	if n == 1 {
		return "is 1 element"
	}
	return fmt.Sprintf("are %d elements", n)
}

// build lays the literal out in columns. Values come in row-major order for
// each leaf because they are visited in the order of the text.
func (b *binder) build(t *graph.Type, l literal) (*Value, error) {
	leaves := graph.Leaves(t)
	b.cols = make([][]uint64, len(leaves))
	if err := b.fill(t, l, b.cols); err != nil {
		return nil, err
	}
	v, err := New(t, func(name string) (int64, bool) {
		n := b.sizes[name] // a size inside of an empty array may stay unknown
		return n, true
	})
	if err != nil {
		return nil, err
	}
	for i, c := range v.Columns {
		for j, bits := range b.cols[i] {
			c.Set(int64(j), bits)
		}
	}
	return v, nil
}

func (b *binder) fill(t *graph.Type, l literal, cols [][]uint64) error {
	switch t.Kind {
	case graph.Array:
		return b.fillArray(t, l, cols)
	case graph.Tuple:
		for i, e := range t.Elems {
			n := len(graph.Leaves(e))
			if err := b.fill(e, l.items[i], cols[:n]); err != nil {
				return err
			}
			cols = cols[n:]
		}
		return nil
	case graph.Option:
		cols[0] = append(cols[0], l.bits)
		if l.bits == 0 {
			return b.zeros(t.Elem(), l, cols[1:])
		}
		return b.fill(t.Elem(), l.items[0], cols[1:])
	case graph.Index:
		if t.Means.Sort == meaning.Text {
			break
		}
		if n, ok := t.Bound.Eval(b.lookup); ok && l.bits >= uint64(max(n, 0)) {
			return failAt(l.at, "%d is no %s, because %s is %d", l.bits, t, t.Bound, n)
		}
	}
	cols[0] = append(cols[0], l.bits)
	return nil
}

func (b *binder) fillArray(t *graph.Type, l literal, cols [][]uint64) error {
	got := int64(len(l.items))
	want, known := t.Size.Eval(b.lookup)
	switch {
	case !known:
		return failAt(l.at, "the size %s is not known here; give %s", t.Size, strings.Join(t.Size.Vars(), ", "))
	case got != want:
		return failAt(l.at, "expected %d elements for %s, but here %s", want, t, count(got))
	}
	for _, item := range l.items {
		if err := b.fill(t.Elem(), item, cols); err != nil {
			return err
		}
	}
	return nil
}

// zeros fills what a None leaves out.
func (b *binder) zeros(t *graph.Type, l literal, cols [][]uint64) error {
	for i, leaf := range graph.Leaves(t) {
		n := int64(1)
		for _, d := range leaf.Dims {
			k, ok := d.Eval(b.lookup)
			if !ok {
				return failAt(l.at, "the size %s is not known here", d)
			}
			n *= max(k, 0)
		}
		cols[i] = append(cols[i], make([]uint64, n)...)
	}
	return nil
}

// CheckIndices reports the first element of an Index type that is not below
// its bound.
func CheckIndices(v *Value, sizes func(string) (int64, bool)) error {
	for l, leaf := range graph.Leaves(v.Type) {
		if leaf.Type.Kind != graph.Index || leaf.Type.Means.Sort == meaning.Text {
			continue
		}
		bound, ok := leaf.Type.Bound.Eval(sizes)
		if !ok {
			return fmt.Errorf("the size %s is not known", leaf.Type.Bound)
		}
		c := v.Columns[l]
		for i := range c.Len() {
			if bits := c.At(i); bits >= uint64(max(bound, 0)) {
				return fmt.Errorf("element %d of %s%s is %s, which is no %s: %s is %d",
					i, v.Type, leaf.Label(), column.Text(c.Kind, bits), leaf.Type, leaf.Type.Bound, bound)
			}
		}
	}
	return nil
}
