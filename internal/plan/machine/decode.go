package machine

import "strings"

// In: a form in which values are stored. Out: what it takes to decode them, as measured, or as of the form that is most like it.

// Decode is what decoding takes in nanoseconds: for a byte of a file, and for a value.
type Decode struct{ Byte, Value float64 }

// Time is what it takes to decode so much.
func (d Decode) Time(bytes, values float64) float64 { return d.Byte*bytes + d.Value*values }

// Decoding is what a form takes; false if nothing is known that is like it.
func (m *Machine) Decoding(form string) (Decode, bool) {
	format, _, compressed := strings.Cut(form, " ")
	like := []string{form, format}
	if compressed {
		like = []string{form, format + " zstd", format}
	}
	for _, name := range like {
		if d, ok := m.Decode[name]; ok {
			return d, true
		}
		if d, ok := usualDecode[name]; ok {
			return d, true
		}
	}
	return Decode{}, false
}

// decodes reports a form of a format that is decoded.
func decodes(form string) bool {
	format, _, _ := strings.Cut(form, " ")
	_, ok := usualDecode[format]
	return ok
}

// usualDecode is what forms take on a machine of middling speed.
var usualDecode = map[string]Decode{
	"memory": {0.1, 1}, "csv": {2, 8}, "jsonl": {3, 12}, "parquet": {0.15, 1.2}, "parquet zstd": {1, 1.5}, "parquet gzip": {4, 1.5}, "arrow": {0.2, 0.5}, "arrow zstd": {1.5, 0.5},
}
