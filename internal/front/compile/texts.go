package compile

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/lower"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// In: arguments with columns of text, dates and times. Out: the dictionaries of the graph, columns of
// codes in the place of text and of integers in the place of times, and the hidden parameters that
// follow from the dictionaries. What no run of the function reads is not encoded.

// readTexts finds all dictionaries, and gives sources the form that the program declares.
func (b *Bound) readTexts(list []binding) error {
	g := b.Func.Graph
	b.texts = make([][]string, len(g.Dicts))
	for i, a := range list {
		var err error
		switch a := a.(type) {
		case *tabular:
			err = b.readTable(i, a)
		case *inMemory:
			b.readMemory(i, a)
		}
		if err != nil {
			return about(b.Func.info(i).Name, err)
		}
	}
	for n := range g.Dicts {
		if g.Dicts[n].Column != nil && b.texts[n] == nil {
			b.texts[n] = unread
		}
		if texts, ok := g.Dicts[n].Entries(b.texts); ok {
			b.texts[n] = texts
		}
	}
	return nil
}

// unread is the dictionary of a column that nothing reads: whatever reads it all the same finds 0.
var unread = []string{""}

// dictOf is the number of the dictionary of a leaf, 0 if it has none.
func (b *Bound) dictOf(param, leaf int) int {
	return 1 + slices.IndexFunc(b.Func.Graph.Dicts, func(d graph.Dict) bool {
		return d.Column != nil && d.Column.Param == param && d.Column.Leaf == leaf
	})
}

// readTable encodes the columns of text of a table, in one walk over it.
func (b *Bound) readTable(param int, t *tabular) error {
	means, coded := map[int]meaning.Meaning{}, map[int]*data.Coded{}
	var columns, dicts, leaves []int
	var empty []bool
	var kept data.Kept
	for j, l := range t.all {
		from := &t.cols[j]
		if from.missing != nil || from.presence {
			continue
		}
		if l.Type.Means.Sort == meaning.None {
			if remote(t.src) && b.Func.mayRead(param, j) {
				if err := mayCount(t, from.column, l.Type); err != nil {
					return err
				}
			}
			continue
		}
		if l.Type.Means.Sort != meaning.Text {
			means[from.column] = l.Type.Means
			continue
		}
		if b.Func.mayRead(param, j) || len(l.Dims) > 1 || l.Optional && b.Func.mayRead(param, j-1) && !readsPresence(t.src, from.column) {
			columns, dicts, leaves, empty = append(columns, from.column), append(dicts, b.dictOf(param, j)), append(leaves, j), append(empty, !from.option)
		}
	}
	if len(columns) > 0 {
		if remote(t.src) {
			return b.readRemote(t, columns, dicts, leaves, means)
		}
		start := time.Now()
		var list []*data.Coded
		var err error
		if list, kept, err = data.EncodeBeside(b.ctx, t.src, columns, empty, b.beside(param, t)); err != nil {
			return err
		}
		b.coding += time.Since(start)
		for k, c := range list {
			coded[columns[k]], b.texts[dicts[k]-1] = c, c.Texts
			b.coded = append(b.coded, c)
		}
	}
	if remote(t.src) {
		return b.sameUnits(t, means)
	}
	src := data.Reading(t.src, means, coded, kept)
	t.src = src
	for j := range t.cols {
		t.cols[j].src = src
	}
	return nil
}

// beside is what a run will read of a table besides text. What is checked against a bound is left to the run, which knows it.
func (b *Bound) beside(param int, t *tabular) (wants []data.Want) {
	for j, l := range t.all {
		from := &t.cols[j]
		if from.missing != nil || from.presence || l.Type.Means.Sort == meaning.Text || l.Type.Kind == graph.Index || !b.Func.mayRead(param, j) {
			continue
		}
		wants = append(wants, data.Want{Column: from.column, Kind: l.Type.KindOf(), Option: from.option, Means: l.Type.Means})
	}
	return wants
}

// readsPresence reports that a source says which rows have a text without reading the text.
func readsPresence(src data.Source, column int) bool {
	return data.Check(src, []data.Want{{Column: column, Kind: data.PresenceKind(&src.Columns()[column]), Option: true, Presence: true}}) == nil
}

// readRemote gets the dictionaries of a data set, whose rows have numbers of entries and counts in the units that it was loaded with. What CSV left
// empty is the empty text where the program declares Str.
func (b *Bound) readRemote(t *tabular, columns, dicts, leaves []int, means map[int]meaning.Meaning) error {
	for k, column := range columns {
		texts, err := data.Texts(b.ctx, t.src, column)
		if err != nil {
			return err
		}
		if t.src.Columns()[column].Unknown {
			texts = unread // as of a column of text that has nothing but nulls
		}
		if texts == nil {
			c := t.src.Columns()[column]
			return refuse(t.Name, "declare it as "+c.Type()+loadedAs(&c, "Str"), "%s: column `%s`: expected text (Str), found %s", t.src.Path(), c.Name, c.Type())
		}
		if from := &t.cols[leaves[k]]; t.src.Columns()[column].Blank && !from.option {
			from.blanks, texts = data.Blanked(texts)
		}
		b.texts[dicts[k]-1] = texts
	}
	return b.sameUnits(t, means)
}

// mayCount reports a column of a data set that is no numbers to a program which declares such: text, and what the set may count in other units
// than the file that it was loaded from.
func mayCount(t *tabular, column int, want *graph.Type) error {
	c := t.src.Columns()[column]
	switch c.Means.Sort {
	case meaning.Text:
		return refuse(t.Name, "declare it as Str"+loadedAs(&c, want.String()), "%s: column `%s`: expected numbers (%s), found text", t.src.Path(), c.Name, want)
	case meaning.Decimal, meaning.Time:
		help := "declare it as " + c.Type()
		if want.Equal(graph.I64Type) || want.Equal(graph.ScalarOf(num.F64)) { // what decimals and times become
			help += fmt.Sprintf(", and convert it: `as %s`", want)
		}
		return refuse(t.Name, help, "%s: column `%s`: expected numbers (%s), found %s", t.src.Path(), c.Name, want, c.Type())
	}
	return nil
}

// widens reports decimals that may have more digits, and as many places: the same numbers stand for them.
func widens(stored, want meaning.Meaning) bool {
	more := want
	more.Digits = stored.Digits
	return stored.Sort == meaning.Decimal && more == stored && want.Digits >= stored.Digits
}

// sameUnits holds the types of a data set's columns to what the program declares: rows are counted where they are.
func (b *Bound) sameUnits(t *tabular, means map[int]meaning.Meaning) error {
	for _, column := range slices.Sorted(maps.Keys(means)) {
		m := means[column]
		if c := t.src.Columns()[column]; c.Means != m && !c.Unknown && !widens(c.Means, m) {
			return refuse(t.Name, "declare it as "+c.Type()+otherwiseMeant(&c, m), "%s: column `%s`: expected %s, found %s, and the rows of a data set are not converted", t.src.Path(), c.Name, m, c.Type())
		}
	}
	return nil
}

// otherwiseMeant is how a data set's numbers become what a program wants of them.
func otherwiseMeant(c *data.Column, m meaning.Meaning) string {
	convert := ""
	if m.Sort == meaning.Decimal && c.Means.Sort == meaning.None && c.Kind.IsInt() {
		convert = ", and convert it: `as " + m.String() + "`"
	}
	return convert + loadedAs(c, m.String())
}

// loadedAs is how a data set gets a column of another type, where it can: from text.
func loadedAs(c *data.Column, typ string) string {
	return "; or, if its rows come from CSV, load all of them anew with that type: " + data.SayType(c.Name, typ) + " behind the names of the files, and --replace"
}

// readMemory puts the texts of a value in order. What nothing reads is left out, as of a table.
func (b *Bound) readMemory(param int, m *inMemory) {
	for j, l := range m.all {
		if l.Type.Means.Sort != meaning.Text {
			continue
		}
		c := m.columns[j]
		n := c.Len()
		if len(m.shown) > 0 && slices.Contains(c.Dims, -1) {
			n = 0
		}
		if !b.Func.mayRead(param, j) && len(l.Dims) == 1 {
			m.columns = slices.Clone(m.columns)
			m.columns[j] = column.Column{Kind: num.U8, Dims: c.Dims, Data: make([]byte, n)}
			continue
		}
		var present []byte
		if l.Optional {
			present = m.columns[j-1].Data
		}
		to := m.orders.Of(column.Ordering{Column: j, Rows: n, Optional: l.Optional}, func() column.Column { return c.Ordered(n, present, data.CodeKind) })
		texts := to.Texts
		to.Texts = nil
		m.columns = slices.Clone(m.columns)
		m.columns[j] = to
		b.texts[b.dictOf(param, j)-1] = texts
	}
}

// textSizes say how large the dictionaries are.
func (b *Bound) textSizes() []*equation {
	var list []*equation
	for i, d := range b.Func.Graph.Dicts {
		if _, fixed := d.Size.Const(); fixed {
			continue
		}
		n := int64(len(b.texts[i]))
		name := "text"
		if d.Column != nil {
			name = b.Func.info(d.Column.Param).Name
		}
		list = append(list, &equation{poly: d.Size, got: n, arg: name, typ: "Str", says: func() string { return fmt.Sprintf("`%s` has %s", name, diag.Counted(n, "different text")) }})
	}
	return list
}

// Coding is how long it took to read the columns of text, which are codes from then on.
func (b *Bound) Coding() time.Duration { return b.coding }

// Texts are the entries of a dictionary.
func (b *Bound) Texts(dict int) []string {
	if dict < 1 || dict > len(b.texts) {
		return nil
	}
	return b.texts[dict-1]
}

// mayRead reports that some run reads a leaf of a parameter, or what its dictionary has.
func (f *Func) mayRead(param, leaf int) bool {
	f.reads.Do(func() {
		if f.read = f.readWith(true); f.read == nil {
			return
		}
		for i, d := range f.Graph.Spoken() {
			if c := f.Graph.Dicts[i].Column; d && c != nil {
				f.read[c.Param][c.Leaf] = true
			}
		}
		if !f.readsTexts() { // something that is empty may have more read: what an index into it must be checked for
			for i, more := range f.readWith(false) {
				for j, m := range more {
					f.read[i][j] = f.read[i][j] || m
				}
			}
		}
	})
	return f.read == nil || f.read[param][leaf]
}

// readsTexts reports that all columns of text are read.
func (f *Func) readsTexts() bool {
	return !slices.ContainsFunc(f.Graph.Dicts, func(d graph.Dict) bool { return d.Column != nil && !f.read[d.Column.Param][d.Column.Leaf] })
}

// readWith says which leaves are read where no size is zero, or where all may be; nil if nobody knows.
func (f *Func) readWith(nonZero bool) [][]bool {
	stored := func(param, j int) num.Kind { return f.leaves[param][j].Type.KindOf() }
	l, err := f.lower(lower.Options{Stored: stored, NonZero: func(string) bool { return nonZero }, Verify: verify.Check})
	if err != nil {
		return nil
	}
	var list [][]bool
	for _, used := range l.used {
		list = append(list, slices.Clone(used))
	}
	return list
}

// derived is a hidden parameter that follows from a dictionary.
type derived struct {
	declared
	b *Bound
}

func (d *derived) equations() []*equation { return nil }

func (d *derived) leaves(*sizes) ([]leaf, error) {
	c := DerivedColumn(d.Derived, d.typ, d.b.texts)
	if d.typ.Kind != graph.Array {
		return []leaf{{bits: c.At(0)}}, nil
	}
	src := data.FromBytes("the texts of `"+d.Name+"`", []data.Column{{Kind: c.Kind, Stored: c.Kind.String()}}, c.Len(), [][]byte{c.Data}, nil)
	return []leaf{{src: src}}, nil
}

// DerivedColumn is the value of a hidden parameter, from the entries of all dictionaries.
func DerivedColumn(r *graph.Derived, t *graph.Type, all [][]string) column.Column {
	if t.Kind != graph.Array {
		c := column.Column{Kind: num.I64, Data: make([]byte, 8)}
		c.Set(0, uint64(r.Number(all)))
		return c
	}
	c := column.Column{Kind: t.Elem().KindOf(), Dims: []int64{int64(len(all[r.Dict-1]))}}
	if r.What == graph.CodesIn {
		c.Kind = data.CodeKind(len(all[r.To-1]))
	}
	c.Data = make([]byte, c.Len()*int64(c.Kind.Size()))
	for i, bits := range r.Table(all) {
		c.Set(int64(i), bits)
	}
	return c
}
