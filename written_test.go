package godwit_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// elementType is a random type of rows, as a program writes it, and what a literal of it is.
type elementType struct {
	text    string
	literal func() string
	single  bool // one column of numbers without nulls, which NPY holds
}

func scalarType(r *rand.Rand) elementType {
	ints := func(most int64) func() string {
		return func() string { return fmt.Sprint(r.Int64N(most)) }
	}
	floats := func() string { return fmt.Sprintf("%.3f", r.NormFloat64()*1000) }
	bools := func() string { return fmt.Sprint(r.IntN(2) == 0) }
	list := []elementType{{"i64", ints(1 << 60), true}, {"u8", ints(200), true}, {"i16", ints(30000), true}, {"u64", ints(1 << 62), true},
		{"f64", floats, true}, {"f32", floats, true}, {"bool", bools, true}}
	return list[r.IntN(len(list))]
}

// fields are those of a record; some are words that numbers have, too.
var fields = []string{"inf", "nan", "a", "value", "e1", "_0", "infinity"}

// rowType is a scalar, a tuple of those, a tuple in one, or a record with options.
func rowType(r *rand.Rand) (elementType, string) {
	s := []elementType{scalarType(r), scalarType(r), scalarType(r)}
	part := func(i int) string { return s[i].literal() }
	switch r.IntN(4) {
	case 0:
		return s[0], ""
	case 1:
		return elementType{"(" + s[0].text + ", " + s[1].text + ")", func() string { return "(" + part(0) + ", " + part(1) + ")" }, false}, ""
	case 2:
		return elementType{"((" + s[0].text + ", " + s[1].text + "), " + s[2].text + ")",
			func() string { return "((" + part(0) + ", " + part(1) + "), " + part(2) + ")" }, false}, ""
	}
	names := r.Perm(len(fields))
	a, b := fields[names[0]], fields[names[1]]
	option := func() string {
		if r.IntN(3) == 0 {
			return "None"
		}
		return "Some(" + part(1) + ")"
	}
	return elementType{"Row", func() string { return "{" + a + ": " + part(0) + ", " + b + ": " + option() + "}" }, false},
		"record Row { " + a + ": " + s[0].text + ", " + b + ": Option<" + s[1].text + "> }\n"
}

// TestWrittenFilesAreRead writes results of random types and reads them again as what they were.
func TestWrittenFilesAreRead(t *testing.T) {
	dir, r := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	for i := range 60 {
		typ, record := rowType(r)
		var rows []string
		for range r.IntN(5) {
			rows = append(rows, typ.literal())
		}
		source := record + "fn id(v: &[" + typ.text + "; N]) -> [" + typ.text + "; N] { v.map(|e| e) }"
		f := fn(t, source)
		res, err := f.Call(t.Context(), godwit.Args{"v": godwit.Text("[" + strings.Join(rows, ", ") + "]")})
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		for _, ext := range []string{".csv", ".npy", ".arrow", ".parquet"} {
			if ext == ".npy" && !typ.single {
				continue
			}
			path := filepath.Join(dir, fmt.Sprint(i, ext))
			if err := res.WriteFile(path); err != nil {
				t.Errorf("%s: %v", source, err)
				continue
			}
			again, err := f.Call(t.Context(), godwit.Args{"v": godwit.File(path)})
			if err != nil {
				t.Errorf("%s\n%v", source, err)
			} else if string(again.JSON()) != string(res.JSON()) {
				t.Errorf("%s: %s was written as %s, and read as %s", source, res.JSON(), ext, again.JSON())
			}
		}
	}
}
