package godwit

import (
	"reflect"
	"strings"

	"github.com/godwit-run/godwit/internal/ir/graph"
)

// fieldOf finds the field of a struct that stands for field i of a record or
// tuple: the one with the tag `godwit:"name"`, or whose name differs at most
// in case and underscores; the parts of a tuple stand in order.
func fieldOf(t *graph.Type, v reflect.Value, i int) (reflect.Value, bool) {
	s := v.Type()
	if len(t.Names) == 0 {
		if s.NumField() != len(t.Elems) || !s.Field(i).IsExported() {
			return v, false
		}
		return v.Field(i), true
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
			return v.Field(j), true
		case !tagged && plain(f.Name) == plain(t.Names[i]):
			at = j
		}
	}
	if at < 0 {
		return v, false
	}
	return v.Field(at), true
}

func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }
