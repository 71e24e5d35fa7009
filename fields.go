package godwit

import (
	"reflect"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

// shapes are the records and tuples of one value beside the structs that stand for them, each looked at once: a value may have millions.
type shapes struct {
	known map[shapeKey]*shape
	last  shapeKey
	of    *shape // of last
	// lists are the leaves of types.
	lists map[*graph.Type][]graph.Leaf
}

func (x *shapes) leavesOf(t *graph.Type) []graph.Leaf {
	list, ok := x.lists[t]
	if !ok {
		if x.lists == nil {
			x.lists = map[*graph.Type][]graph.Leaf{}
		}
		list = graph.Leaves(t)
		x.lists[t] = list
	}
	return list
}

type shapeKey struct {
	t *graph.Type
	s reflect.Type
}

// shape has an entry for each field of a record or tuple.
type shape struct {
	fields []int // the struct's; -1 where it has none. Nil if it is no struct
	leaves []int // how many the field has
}

func (x *shapes) shape(t *graph.Type, s reflect.Type) *shape {
	key := shapeKey{t, s}
	if x.of != nil && x.last == key {
		return x.of
	}
	sh := x.known[key]
	if sh == nil {
		sh = &shape{}
		for i, e := range t.Elems {
			if sh.leaves = append(sh.leaves, len(graph.Leaves(e))); s.Kind() == reflect.Struct {
				sh.fields = append(sh.fields, fieldOf(t, s, i))
			}
		}
		if x.known == nil {
			x.known = map[shapeKey]*shape{}
		}
		x.known[key] = sh
	}
	x.last, x.of = key, sh
	return sh
}

// field is what stands for field i in a struct.
func (sh *shape) field(v reflect.Value, i int) (reflect.Value, bool) {
	if sh.fields[i] < 0 {
		return v, false
	}
	return v.Field(sh.fields[i]), true
}

// fieldOf finds the field of a struct that stands for field i of a record or
// tuple: the one with the tag `godwit:"name"`, or whose name differs at most
// in case and underscores; the parts of a tuple stand in order. -1 if there is none.
func fieldOf(t *graph.Type, s reflect.Type, i int) int {
	if len(t.Names) == 0 {
		if s.NumField() != len(t.Elems) || !s.Field(i).IsExported() {
			return -1
		}
		return i
	}
	at := -1
	for j := range s.NumField() {
		f := s.Field(j)
		if !f.IsExported() {
			continue
		}
		tag, tagged := f.Tag.Lookup("godwit")
		switch {
		case tagged && tag == t.Names[i]:
			return j
		case !tagged && plain(f.Name) == plain(t.Names[i]):
			at = j
		}
	}
	return at
}

func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
