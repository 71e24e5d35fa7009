package compile

import (
	"errors"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// described is a source of which only the columns matter.
type described struct {
	data.Source
	cols []data.Column
}

func (s described) Columns() []data.Column { return s.cols }
func (s described) Path() string           { return "@fl" }
func (s described) Format() string         { return "data set" }
func (s described) Rows() int64            { return 2 }

// Where one column is wanted, those are named that it can be: text in data sets has the kind of its numbers, and is none.
func TestFittingColumns(t *testing.T) {
	text := meaning.Meaning{Sort: meaning.Text}
	src := described{cols: []data.Column{{Name: "carrier", Kind: num.I32, Means: text}, {Name: "delay", Kind: num.I64}, {Name: "list"}, {Name: "day", Kind: num.I32, Means: meaning.Meaning{Sort: meaning.Date}}}}
	for typ, want := range map[string]string{
		"i64": "choose one, such as 'v=@fl#delay'; those with numbers are `delay`, `day`",
		"Str": "choose one, such as 'v=@fl#carrier'; those with text are `carrier`",
	} {
		f, err := program(t, "fn f(v: &["+typ+"; N]) -> i64 { v.count(|x| x == x) }").Func("f")
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.Bind(Args{"v": Table{Source: src}})
		if err == nil {
			_, err = b.Plan()
			b.Close()
		}
		var e *InputError
		if !errors.As(err, &e) || e.Help != want {
			t.Errorf("%s: %v", typ, err)
		}
	}
}
