package godwit

import (
	"fmt"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// Fault is what went wrong in a program while it ran: of all faults the first,
// in the order of evaluation. It does not depend on the engine or the number
// of threads.
type Fault struct {
	Code  string // R01 to R06
	Line  int    // 1-based
	Col   int    // 1-based, in bytes
	Index int64  // the element of the outermost array operation, or the turn of the outermost loop; -1 if none
	Text  string // "i32 addition overflows"

	source *diag.Source
	span   diag.Span
	inLoop bool // Index is a turn
	help   string
}

// Error renders the fault with the line of source.
func (e *Fault) Error() string { return e.Message().Render() }

// Message is the fault as a message about the source.
func (e *Fault) Message() *diag.Message {
	m := &diag.Message{Code: e.Code, Source: e.source, Span: e.span, Text: e.Text}
	switch {
	case e.Index >= 0 && e.inLoop:
		m.Note = fmt.Sprintf("in turn %d of the loop, counted from 0", e.Index)
	case e.Index >= 0:
		m.Note = fmt.Sprintf("at element %d", e.Index)
	}
	m.Help = e.help
	return m
}

// faults says what each kind of fault is called, how its text ends, and what
// can be done.
var faults = map[string]struct{ ending, help string }{
	"R01": {" overflows", "use a wider type, or +% -% *% to wrap around and +| to saturate"},
	"R02": {"", "test the divisor: if d == 0 { … } else { x / d }"},
	"R03": {"", "limit the amount to 0..width"},
	"R04": {": the value does not fit", "limit the value before `as`: x.clamp(lo, hi)"},
	"R05": {"", "limit the value: .clamp_idx() or .wrap_idx(), or filter before"},
	"R06": {"", "make sure that there is an element: where N: Range<1, …>, or .fold with a first value"},
}

var faultCodes = map[graph.FaultKind]string{
	graph.Overflow: "R01", graph.DivideByZero: "R02", graph.BadShift: "R03",
	graph.BadConvert: "R04", graph.OutOfRange: "R05", graph.Empty: "R06",
}

// faultAt finds the place of a fault in the source.
func (f *Func) faultAt(site int, index int64) error {
	g := f.f.Graph
	if site < 0 || site >= len(g.Sites) {
		return fmt.Errorf("internal error: `%s` faults at site %d, which is unknown", f.f.Name, site)
	}
	s := g.Sites[site]
	code := faultCodes[s.Kind]
	e := &Fault{Code: code, Index: index, Text: s.Text + faults[code].ending, source: g.Source, span: s.Pos, inLoop: g.SiteOrders()[site].Turns, help: faultHelp(g, s)}
	if g.Source != nil {
		e.Line, e.Col = g.Source.Position(s.Pos.Start)
	}
	return e
}
