package value

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// JSON writes a value as JSON: records as objects, tuples and arrays as
// arrays, None as null and Some(v) as v. Dates, times and decimals are strings in the forms of ISO 8601. Integers are written in full however
// large they are; NaN and the infinities are the strings "NaN", "inf" and
// "-inf".
func JSON(v *Value) json.RawMessage { return appendJSON(nil, whole(v)) }

func appendJSON(b []byte, v view) []byte {
	switch v.t.Kind {
	case graph.Tuple:
		return appendTupleJSON(b, v)
	case graph.Array:
		b = append(b, '[')
		for i := range v.len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, v.elem(i))
		}
		return append(b, ']')
	case graph.Option:
		if !v.present() {
			return append(b, "null"...)
		}
		return appendJSON(b, v.inner())
	}
	return appendScalarJSON(b, v)
}

func appendTupleJSON(b []byte, v view) []byte {
	open, end := byte('['), byte(']')
	if len(v.t.Names) > 0 {
		open, end = '{', '}'
	}
	b = append(b, open)
	for i := range v.t.Elems {
		if i > 0 {
			b = append(b, ',')
		}
		if len(v.t.Names) > 0 {
			b = append(strconv.AppendQuote(b, v.t.Names[i]), ':')
		}
		b = appendJSON(b, v.field(i))
	}
	return append(b, end)
}

func appendScalarJSON(b []byte, v view) []byte {
	switch m := v.t.Means; m.Sort {
	case meaning.None:
	case meaning.Text:
		return appendJSONText(b, v.words())
	default:
		return append(m.AppendISO(append(b, '"'), int64(v.bits())), '"')
	}
	k := v.cols[0].Kind
	if k.IsFloat() {
		if x := num.ToFloat(k, v.bits()); math.IsNaN(x) || math.IsInf(x, 0) {
			return strconv.AppendQuote(b, v.text())
		}
	}
	return append(b, v.text()...)
}

// appendJSONText writes a string, in which < and > stay as they are.
func appendJSONText(b []byte, text string) []byte {
	var w bytes.Buffer
	e := json.NewEncoder(&w)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil { // a string has no error
		panic(err)
	}
	return append(b, bytes.TrimSuffix(w.Bytes(), []byte("\n"))...)
}
