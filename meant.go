package godwit

import (
	"fmt"
	"reflect"
	"time"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Dates, times, durations, decimals and text in Go. In and out: time.Time for Date and Timestamp,
// time.Duration for Duration, and for Time since midnight, string for Str; a string is taken for all
// of them, as the command line has it, and given for all of them. Nothing is rounded.

var (
	timeType     = reflect.TypeFor[time.Time]()
	durationType = reflect.TypeFor[time.Duration]()
)

// meant appends a scalar that stands for something.
func (e *encoder) meant(t *graph.Type, v reflect.Value, leaf int) error {
	m := t.Means
	if v.Kind() == reflect.String {
		if m.Sort == meaning.Text {
			e.appendText(leaf, v.String())
			return nil
		}
		x, why := m.Parse([]byte(v.String()))
		if why == meaning.Malformed {
			return fmt.Errorf("expected %s, found %q", m.Form(), v.String())
		}
		if why != "" {
			return fmt.Errorf("expected %s, found %q: %s", m.Form(), v.String(), why)
		}
		e.append(leaf, num.Canon(t.Num, uint64(x)))
		return nil
	}
	var nanos, seconds int64
	switch {
	case v.Type() == timeType && (m.Sort == meaning.Date || m.Sort == meaning.Timestamp):
		at := v.Interface().(time.Time)
		seconds, nanos = at.Unix(), int64(at.Nanosecond())
		if m.Sort == meaning.Date { // the day that the time says where it is
			y, month, day := at.Date()
			e.append(leaf, num.Canon(t.Num, uint64(meaning.Days(int64(y), int(month), day))))
			return nil
		}
	case v.Type() == durationType && (m.Sort == meaning.Duration || m.Sort == meaning.Time):
		nanos = int64(v.Interface().(time.Duration))
	default:
		return wrongKind(t, v)
	}
	x, ok := inUnits(seconds, nanos, m.Unit)
	if !ok || !m.Fits(x) {
		return fmt.Errorf("%v is no whole number of %s that fits %s", v.Interface(), m.Unit, m)
	}
	e.append(leaf, uint64(x))
	return nil
}

// inUnits counts seconds and nanoseconds in a unit, if that leaves no rest.
func inUnits(seconds, nanos int64, u meaning.Unit) (int64, bool) {
	per := 1e9 / u.Nanos()
	x := seconds * per
	return x + nanos/u.Nanos(), nanos%u.Nanos() == 0 && (per == 0 || x/per == seconds)
}

// appendText appends the number of a text.
func (e *encoder) appendText(leaf int, text string) {
	c := &e.cols[leaf]
	if e.codes == nil {
		e.codes = map[textKey]uint64{}
	}
	code, ok := e.codes[textKey{leaf, text}]
	if !ok {
		code = uint64(len(c.Texts))
		e.codes[textKey{leaf, text}], c.Texts = code, append(c.Texts, text)
	}
	e.append(leaf, code)
}

// textKey is a text of a column.
type textKey struct {
	leaf int
	text string
}

// meant stores a scalar that stands for something.
func (d decoder) meant(v reflect.Value) error {
	m, x := d.t.Means, int64(d.cols[0].At(d.at))
	at, isPoint := d.point()
	switch {
	case v.Type() == timeType && isPoint:
		v.Set(reflect.ValueOf(at))
	case v.Type() == durationType && (m.Sort == meaning.Duration || m.Sort == meaning.Time):
		n := x * m.Unit.Nanos()
		if n/m.Unit.Nanos() != x {
			return fmt.Errorf("%s does not fit %s", m.Append(nil, x), v.Type())
		}
		v.SetInt(n)
	case v.Kind() == reflect.String:
		v.SetString(d.words())
	case v.Kind() == reflect.Interface && v.NumMethod() == 0 && isPoint:
		v.Set(reflect.ValueOf(at))
	case v.Kind() == reflect.Interface && v.NumMethod() == 0 && m.Sort == meaning.Duration && x*m.Unit.Nanos()/m.Unit.Nanos() == x:
		v.Set(reflect.ValueOf(time.Duration(x * m.Unit.Nanos())))
	case v.Kind() == reflect.Interface && v.NumMethod() == 0:
		v.Set(reflect.ValueOf(d.words()))
	case m.Sort == meaning.Decimal && v.Kind() == reflect.Float64:
		v.SetFloat(m.Float(x))
	default:
		return d.wrong(v)
	}
	return nil
}

// point is a Date, as its midnight, or a Timestamp, in UTC.
func (d decoder) point() (time.Time, bool) {
	m, x := d.t.Means, int64(d.cols[0].At(d.at))
	switch m.Sort {
	case meaning.Date:
		return time.Unix(x*86400, 0).UTC(), true
	case meaning.Timestamp:
		per := 1e9 / m.Unit.Nanos()
		return time.Unix(x/per, x%per*m.Unit.Nanos()).UTC(), true
	}
	return time.Time{}, false
}

// words is the text, or what the command line would take for the value.
func (d decoder) words() string {
	x := d.cols[0].At(d.at)
	if d.t.Means.Sort != meaning.Text {
		return string(d.t.Means.Append(nil, int64(x)))
	}
	if texts := d.cols[0].Texts; x < uint64(len(texts)) {
		return texts[x]
	}
	return ""
}
