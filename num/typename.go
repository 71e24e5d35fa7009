package num

import (
	"strconv"
	"strings"
)

// TypeName is the type of one element of a column in the language's words: f64, [f32; 3],
// Option<i16>. Dims are the inner dimensions.
func TypeName(k Kind, dims []int64, nullable bool) string {
	name := k.String()
	if nullable {
		name = "Option<" + name + ">"
	}
	if len(dims) == 0 {
		return name
	}
	list := make([]string, len(dims))
	for i, d := range dims {
		list[i] = strconv.FormatInt(d, 10)
	}
	return "[" + name + "; " + strings.Join(list, ", ") + "]"
}
