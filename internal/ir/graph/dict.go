package graph

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/size"
)

// Dict is a dictionary: different texts in the order of their bytes. A value of text is the number
// of its entry, an Index below Size, so that codes of one dictionary compare as their texts do.
type Dict struct {
	Size size.Poly
	// One of these: the texts of a leaf of a parameter, texts of the program, the entries of two
	// dictionaries, or those of one, changed.
	Column *DictColumn
	Texts  []string
	Of     []int
	Change TextChange
}

// DictColumn is a leaf of a parameter, in the order of Leaves. Of One, which is in no array, the dictionary has one entry.
type DictColumn struct {
	Param, Leaf int
	One         bool
}

// TextChange is what makes the entries of a dictionary from those of another.
type TextChange uint8

const (
	NoChange TextChange = iota
	Lower
	Upper
	Trim // white space, as Unicode has it, on both sides
	TrimStart
	TrimEnd
)

// Derivation says how a hidden parameter follows from a dictionary.
type Derivation uint8

const (
	CodeOf     Derivation = iota // i64: the code of Text, -1 if there is none
	CountLess                    // i64: how many entries are less than Text
	CountUpTo                    // i64: how many are less or equal
	PrefixEnd                    // i64: how many are less, or begin with Text
	EndsWith                     // [bool]: whether an entry ends with Text
	Contains                     // [bool]: whether Text is somewhere in it
	Characters                   // [i64]: how many characters an entry has
	CodesIn                      // [idx]: the code of an entry, after Change, in the dictionary To
)

// Derived is the recipe of a hidden parameter.
type Derived struct {
	What   Derivation
	Dict   int
	To     int
	Change TextChange
	Text   Sought
}

// Sought is a text that is looked for: of the program, or the only entry of the dictionary In.
type Sought struct {
	Text string
	In   int
}

// From is the text, given the entries of all dictionaries.
func (s Sought) From(all [][]string) string {
	if s.In > 0 && len(all[s.In-1]) > 0 {
		return all[s.In-1][0]
	}
	return s.Text
}

// Changed are the entries of a dictionary that has the changed texts.
func Changed(texts []string, c TextChange) []string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = c.of(text)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (c TextChange) of(text string) string {
	switch c {
	case Lower:
		return strings.ToLower(text)
	case Upper:
		return strings.ToUpper(text)
	case Trim:
		return strings.TrimSpace(text)
	case TrimStart:
		return strings.TrimLeftFunc(text, unicode.IsSpace)
	case TrimEnd:
		return strings.TrimRightFunc(text, unicode.IsSpace)
	}
	return text
}

// Number is the value of a derived i64, given the entries of all dictionaries. All entries that it counts stand at the beginning.
func (r *Derived) Number(all [][]string) int64 {
	texts, text := all[r.Dict-1], r.Text.From(all)
	at, found := slices.BinarySearch(texts, text)
	switch {
	case r.What == CodeOf && !found:
		return -1
	case r.What == CountUpTo && found:
		return int64(at) + 1
	case r.What == PrefixEnd:
		for at < len(texts) && strings.HasPrefix(texts[at], text) {
			at++
		}
	}
	return int64(at)
}

// Table is the value of a derived table, in the bit form of package num, given the entries of all dictionaries.
func (r *Derived) Table(all [][]string) []uint64 {
	var to []string
	if r.To > 0 {
		to = all[r.To-1]
	}
	out, sought := make([]uint64, len(all[r.Dict-1])), r.Text.From(all)
	for i, text := range all[r.Dict-1] {
		out[i] = r.entry(text, sought, to)
	}
	return out
}

func (r *Derived) entry(text, sought string, to []string) uint64 {
	yes := false
	switch r.What {
	case EndsWith:
		yes = strings.HasSuffix(text, sought)
	case Contains:
		yes = strings.Contains(text, sought)
	case Characters:
		return uint64(utf8.RuneCountInString(text))
	case CodesIn:
		at, _ := slices.BinarySearch(to, r.Change.of(text))
		return uint64(at)
	}
	if yes {
		return 1
	}
	return 0
}

// Entries are those of a dictionary that follows from others, whose entries are given by number
// from 1 on; false for one of a column.
func (d *Dict) Entries(all [][]string) ([]string, bool) {
	if d.Texts != nil {
		return d.Texts, true
	}
	if d.Column != nil {
		return nil, false
	}
	var texts []string
	for _, of := range d.Of {
		texts = append(texts, all[of-1]...)
	}
	return Changed(texts, d.Change), true
}

// Dict gives a dictionary by its number.
func (g *Graph) Dict(number int) *Dict { return &g.Dicts[number-1] }

// Spoken reports of every dictionary whether more of it matters than which of its entries a row has: its entries are in the result or
// make a hidden parameter, or something has a place for each of them. The first is of dictionary 1.
func (g *Graph) Spoken() []bool {
	spoken, sizes, used := make([]bool, len(g.Dicts)), map[string]bool{}, map[*Node]bool{}
	g.Body.Walk(func(n *Node) bool {
		for _, a := range n.Args {
			used[a] = true
		}
		for _, b := range n.Blocks {
			for _, r := range b.Results {
				used[r] = true
			}
		}
		if n.Op != Param {
			markNames(n.Poly.Vars(), sizes)
			markNames(n.MaxPoly.Vars(), sizes)
			markPlaces(n.Type, sizes)
		}
		return true
	})
	for _, r := range g.Body.Results {
		used[r] = true
	}
	if g.Result != nil {
		g.Result.speaks(spoken)
	}
	for i, p := range g.Body.Params {
		if d := g.ParamInfo[i].Derived; d != nil && used[p] {
			spoken[d.Dict-1] = true
			for _, other := range []int{d.To, d.Text.In} {
				if other > 0 {
					spoken[other-1] = true
				}
			}
		}
	}
	for i := len(g.Dicts) - 1; i >= 0; i-- { // a dictionary is made from earlier ones
		if v, ok := g.Dicts[i].Size.IsVar(); ok && sizes[v] {
			spoken[i] = true
		}
		for _, of := range g.Dicts[i].Of {
			spoken[of-1] = spoken[of-1] || spoken[i]
		}
	}
	return spoken
}

// markPlaces marks the sizes of a type's arrays. What its indices are less than needs no value.
func markPlaces(t *Type, sizes map[string]bool) {
	markNames(t.Size.Vars(), sizes)
	for _, e := range t.Elems {
		markPlaces(e, sizes)
	}
}

// speaks marks the dictionaries of a type's texts.
func (t *Type) speaks(spoken []bool) {
	if d := t.Means.Dict; d > 0 && t.Means.Sort == meaning.Text {
		spoken[d-1] = true
	}
	for _, e := range t.Elems {
		e.speaks(spoken)
	}
}
