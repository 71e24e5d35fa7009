package graph

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Only what an Option holds in one leaf right behind its presence is optional.
func TestLeavesOfOptions(t *testing.T) {
	i := ScalarOf(num.I32)
	for _, c := range []struct {
		t    *Type
		want string // each leaf, with ! behind it if it is optional
	}{
		{OptionOf(i), "? !"},
		{OptionOf(OptionOf(i)), "? ? !"},
		{OptionOf(ArrayOf(i, size.Const(3))), "? !"},
		{OptionOf(TupleOf(i, i)), "? .0 .1"},
		{TupleOf(OptionOf(i), i), ".0? .0! .1"},
		{OptionOf(TupleOf(OptionOf(i))), "? .0? .0!"},
		{TupleOf(OptionOf(TupleOf()), i), ".0? .1"},
	} {
		var got []string
		for _, l := range Leaves(c.t) {
			s := l.Label()
			if l.Optional {
				s += "!"
			}
			got = append(got, s)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s has the leaves %s, expected %s", c.t, s, c.want)
		}
	}
}
