package graph

import "strconv"

// Place is where a program says that an argument lies, or wants its result. The zero value is no place.
//
// In: what elaborate has read. Out: what compile compares with what there is, and the text for people.
// Invariant: Number counts for a Numbered kind alone, Shards for a Cluster.
type Place struct {
	Kind   PlaceKind
	Number int64  // of the device or node
	Shards string // how rows are assigned, as written: "blocks, 3"
}

// PlaceKind is a kind of place.
type PlaceKind int

// The kinds of places, as messages list them.
const (
	NoPlace PlaceKind = iota
	Disk
	RAM
	Far
	GPU
	OnNode
	Cluster
)

// PlaceNames has the name of each kind in programs.
var PlaceNames = [...]string{Disk: "Disk", RAM: "RAM", Far: "Far", GPU: "GPU", OnNode: "Node", Cluster: "Cluster"}

// Numbered reports whether a kind takes a number.
func (k PlaceKind) Numbered() bool { return k == GPU || k == OnNode }

// String is the place as a program gives it, "" for none.
func (p Place) String() string {
	name := PlaceNames[p.Kind]
	switch {
	case p.Kind.Numbered():
		return name + "(" + strconv.FormatInt(p.Number, 10) + ")"
	case p.Shards != "":
		return name + "(" + p.Shards + ")"
	}
	return name
}
