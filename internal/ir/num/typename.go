package num

import (
	"strconv"
	"strings"
)

// TypeName is the type of one element of a column in the language's words: f64, [f32; 3],
// Option<i16>, Option<[f32; 3]>. Dims are the inner dimensions.
func TypeName(k Kind, dims []int64, nullable bool) string {
	name := k.String()
	if len(dims) > 0 {
		list := make([]string, len(dims))
		for i, d := range dims {
			list[i] = strconv.FormatInt(d, 10)
		}
		name = "[" + name + "; " + strings.Join(list, ", ") + "]"
	}
	if nullable {
		name = "Option<" + name + ">"
	}
	return name
}
