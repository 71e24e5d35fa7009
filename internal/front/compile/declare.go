package compile

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/syntax"
)

// Declaration is what a program declares to read a table, a record of this name; "" if nothing of it can be read. A table of
// one column without a name has a parameter instead.
func Declaration(record string, src data.Source, sums []data.Summary) string {
	if len(sums) == 1 && sums[0].Name == "" && sums[0].Kind.Valid() {
		return "x: &[" + sums[0].Declared() + "; N]"
	}
	var fields, left []string
	for i := range sums {
		switch name := fieldOf(src, i); {
		case !sums[i].Kind.Valid():
			left = append(left, syntax.FieldText(sums[i].Name)+" ("+sums[i].Stored+")")
		case name != "":
			fields = append(fields, name+": "+sums[i].Declared())
		}
	}
	if len(fields) == 0 {
		return ""
	}
	text := "record " + record + " { " + strings.Join(fields, ", ") + " }"
	if len(text) > 100 {
		text = "record " + record + " {\n    " + strings.Join(fields, ",\n    ") + ",\n}"
	}
	if len(left) > 0 {
		text = "// not read: " + strings.Join(left, ", ") + "\n" + text
	}
	return text
}

// fieldOf is how a record names a column: as it is, or where no field has such a name, by a name that finds it.
func fieldOf(src data.Source, i int) string {
	name := src.Columns()[i].Name
	if !strings.ContainsAny(name, "?`\n\r") {
		return syntax.FieldText(name)
	}
	plain := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return '_'
	}, name)
	if at, err := data.Lookup(src, plain); err != nil || at != i {
		plain = fmt.Sprintf("#%d", i+1)
	}
	return syntax.FieldText(strings.Trim(plain, "_"))
}
