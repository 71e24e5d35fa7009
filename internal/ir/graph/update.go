package graph

import "strconv"

// Update is array with the part at the end of path, from the element at the
// first of the indices on, changed to part.
func (b *Builder) Update(array, part *Node, path []int, indices ...*Node) *Node {
	n := b.Add(Update, array.Type, append([]*Node{array, part}, indices...)...)
	n.Path = path
	return n
}

// Update: a dense array, a value of the type that Path leads to, and an index
// for each step that needs one, shown to be a place of the array there.
func (v *verifier) update(n *Node) error {
	if len(n.Args) < 3 || len(n.Path) == 0 || n.Path[0] != ByIndex {
		return v.fail(n, "does not say which element changes")
	}
	if err := v.wantDense(n, 0); err != nil {
		return err
	}
	t, indices := n.Args[0].Type, n.Args[2:]
	for _, step := range n.Path {
		switch {
		case step != ByIndex:
			if t.Kind != Tuple || step < 0 || step >= len(t.Elems) {
				return v.fail(n, "%s has no field %d", t, step)
			}
			t = t.Elems[step]
		case t.Kind != Array || len(indices) == 0:
			return v.fail(n, "an index leads into %s", t)
		default:
			if i := indices[0].Type; i.Kind != Index || !v.facts.ProvesLe(i.Bound, t.Size) {
				return v.fail(n, "the index %s is not shown to be a place of %s", i, t)
			}
			t, indices = t.Elem(), indices[1:]
		}
	}
	if len(indices) > 0 {
		return v.fail(n, "has more indices than its path takes")
	}
	if !n.Args[1].Type.Equal(t) {
		return v.fail(n, "the new part is %s instead of %s", n.Args[1].Type, t)
	}
	return v.wantType(n, n.Args[0].Type)
}

// pathText is a path as it would stand in the source, with the arguments'
// numbers left to the list of arguments.
func (n *Node) pathText() string {
	text, t := "", n.Type
	for _, step := range n.Path {
		switch {
		case step == ByIndex:
			text += "[]"
		case t != nil && t.Kind == Tuple && step < len(t.Elems):
			text += "." + t.FieldName(step)
		default:
			text += "." + strconv.Itoa(step)
		}
		t = t.part(step)
	}
	return text
}

// part is the type that a step of a path leads to, nil when there is none.
func (t *Type) part(step int) *Type {
	switch {
	case t == nil:
		return nil
	case step == ByIndex && t.Kind == Array:
		return t.Elem()
	case step >= 0 && t.Kind == Tuple && step < len(t.Elems):
		return t.Elems[step]
	}
	return nil
}
