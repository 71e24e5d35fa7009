package graph

import "github.com/godwit-run/godwit/internal/front/size"

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

// DictColumn is a leaf of a parameter, in the order of Leaves.
type DictColumn struct{ Param, Leaf int }

// TextChange is what makes the entries of a dictionary from those of another.
type TextChange uint8

const (
	NoChange TextChange = iota
	Lower
	Upper
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
	What Derivation
	Dict int
	To   int
	Text string
}

// Dict gives a dictionary by its number.
func (g *Graph) Dict(number int) *Dict { return &g.Dicts[number-1] }
