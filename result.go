package godwit

import (
	"context"
	"maps"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/run"
)

// Result is what a call gives.
type Result struct {
	Func string

	value  *value.Value
	orders *column.Orders // of the value as an argument; nil if it has no text
	file   string         // that has the values, if not here
	closed bool
	told   told
}

// told is what Stats are made of, for those who ask: to make them takes longer than many a call.
type told struct {
	ran      *run.Result // has the values' memory for Close; that of the interpreter has none
	engine   string
	sizes    map[string]int64
	coding   time.Duration    // of columns of text, before ran began
	expected *plan.Prediction // nil where nothing was expected
	machine  *machine.Machine
	travel   *Travel
	asked    *asking // nil where nothing was asked beforehand
	whyNot   *WhyNot
	ensured  []Ensured
	steps    []WhyNot
	away     *expectation                      // of a call over data sets; nil where nothing was asked beforehand
	went     func(l *schedule.Launch) Strategy // how launches went to data sets; nil where there are none
	strategy int                               // the number of the plan over data sets; 0 if there is none
}

// answer is a Result with its value, in one piece of memory.
type answer struct {
	Result
	value value.Value
}

// Close gives the memory of the values back, for the results of later calls of the same [Runtime]: pages that are
// there already take a fraction of the time of fresh ones. Slices that As and Slice gave, and
// calls that have the result as an argument, must not be in use any more. A result that is not
// closed is freed by Go's garbage collection, as all memory is, with the last slice of it; one that is closed, too,
// unless a call takes it before. Close may be called again. It must not be called beside other methods.
func (r *Result) Close() {
	if r == nil || r.value == nil || r.closed || r.file != "" {
		return
	}
	r.closed = true
	r.orders.Drop()
	for i := range r.value.Columns {
		r.value.Columns[i].Data = nil
	}
	r.told.ran.Close()
}

// Stats tells what the call did.
func (r *Result) Stats() Stats {
	if r == nil || r.told.ran == nil {
		return Stats{}
	}
	t := &r.told
	ran := &t.ran.Stats
	s := Stats{Seconds: ran.Seconds, Texts: t.coding.Seconds(), BytesRead: ran.BytesRead, Threads: ran.Threads, Engine: t.engine, Plan: Plan{Sizes: maps.Clone(t.sizes)}, Travel: t.travel}
	if ran.Schedule != nil { // it was not the interpreter
		s.launches(ran.Schedule, ran.Launches)
	}
	if t.asked != nil {
		t.asked.carriedOut(&s.Plan, ran)
	}
	if t.strategy > 0 {
		s.Plan.Number = t.strategy
	} else if t.away != nil {
		s.Plan.Unnumbered = severalWays
	}
	s.Plan.WhyNot, s.Plan.WhyNotSteps, s.Ensured = t.whyNot, t.steps, t.ensured
	if t.went != nil {
		i := 0
		schedule.Launches(ran.Schedule.Steps, func(l *schedule.Launch) { s.Plan.Steps[i].Way = t.went(l); i++ })
	}
	if t.away != nil {
		s.expected(t.away, t.machine)
		return s
	}
	s.predicted(t.expected, t.machine, ran.Schedule)
	return s
}

// Stats tells what a call did.
type Stats struct {
	Seconds float64 `json:"seconds"` // from the plan to the result; see Texts
	// Texts are the seconds before these in which columns of text were read, as codes and a dictionary each.
	Texts     float64  `json:"text_seconds,omitempty"`
	BytesRead int64    `json:"bytes_read"` // from files, and from slices among the arguments
	Threads   int      `json:"threads"`
	Engine    string   `json:"engine"`
	Kernels   []Kernel `json:"kernels"` // each once
	Plan      Plan     `json:"plan"`
	// Predicted is how long Seconds was expected to be; nil without WithPrediction.
	Predicted *Prediction `json:"predicted,omitempty"`
	// Ensured are the bounds of the function's ensures clauses, as far as something is expected of them.
	Ensured []Ensured `json:"ensured,omitempty"`
	*Travel           // of a call with a cluster
}

// Kernel is a piece of code that a call ran.
type Kernel struct {
	Hash  string `json:"hash"`
	Bytes int    `json:"bytes"` // of its canonical form
	// Tier is what its last slice here ran on: "wasm", "native", or "interp" where it was interpreted; empty if it ran
	// elsewhere only.
	Tier string `json:"tier,omitempty"`
}

// Plan is what a call decided and how long each step took.
type Plan struct {
	Sizes    map[string]int64 `json:"sizes"`
	Strategy []string         `json:"strategy,omitempty"`
	Steps    []Step           `json:"steps,omitempty"`
	// Number is that of the plan that was carried out, or, beforehand, of the one that is; 0 where plans have none: see WithPlan.
	Number int `json:"number,omitempty"`
	// Unnumbered is why a call that was predicted has no Number: what it did is none of the plans.
	Unnumbered string `json:"unnumbered,omitempty"`
	// Candidates are all plans, where they were asked for: see Func.Predict.
	Candidates []Candidate `json:"candidates,omitempty"`
	// Whole is the number of the plan over data sets that as a whole is expected to take less than the call, each step of which is decided of when it
	// comes, by what it takes alone; 0 if there is none.
	Whole int `json:"whole,omitempty"`
	// By says how such calls run for other sizes, where that was asked for: see Func.Predict.
	By *BySize `json:"by_size,omitempty"`
	// WhyNot is about the strategy that WithWhyNot names, WhyNotSteps about each step over data sets.
	WhyNot      *WhyNot  `json:"why_not,omitempty"`
	WhyNotSteps []WhyNot `json:"why_not_steps,omitempty"`
}

// BySize is a table of the ways that calls go, by one size; the others are as in the call.
type BySize struct {
	Name string `json:"name"`
	Rows []Way  `json:"rows"`
	// LeftOut is why there are no rows; "" if there are.
	LeftOut string `json:"left_out,omitempty"`
	// Curves are the times of all plans over the range.
	Curves []Curve `json:"-"`
}

// Way is what is expected to take the least time from a size on, up to that of the next one.
type Way struct {
	From    int64   `json:"from"`
	Engine  string  `json:"engine"`
	Threads int     `json:"threads"`
	Seconds float64 `json:"seconds"` // at From
	Number  int     `json:"number,omitempty"`
}

// Step is one launch of a kernel over all its outer indices.
type Step struct {
	Label   string  `json:"label"`
	Depth   int     `json:"depth,omitempty"` // loops and branches around it
	Kernel  string  `json:"kernel"`          // its hash, "" if it did not run
	Tier    string  `json:"tier,omitempty"`  // as Kernel's
	Runs    int64   `json:"runs"`
	Slices  int64   `json:"slices"`        // calls into code here
	Native  int64   `json:"native_slices"` // of them, those into native code; a kernel may be promoted while it runs
	Seconds float64 `json:"seconds"`
	Threads int     `json:"threads,omitempty"` // the most of a run here; 0 if it did not run, or ran elsewhere only
	// Totals is the hash of the kernel that found out ahead what stretches of outer indices add to what the step carries, so
	// that threads could hand it on in the last run here; "" where the step carries nothing, or one thread ran it.
	Totals string `json:"totals,omitempty"`
	// Way is how a step that reads data sets went when it ran for the first time: Fetch, Ship, Gather or Single; "" if all that it reads was here.
	Way Strategy `json:"way,omitempty"`
	// Predicted is how long Seconds was expected to be; nil without WithPrediction.
	Predicted *Prediction `json:"predicted,omitempty"`
}

// Value is the result as columns, which are not to be changed; nil if it is in a file, see WithFile.
func (r *Result) Value() *value.Value {
	if r.away() != nil {
		return nil
	}
	return r.value
}

// away is an error if the values are in a file, or no call gave the result.
func (r *Result) away() error {
	switch {
	case r == nil || r.value == nil:
		return badOption("the Result is empty; a call that succeeds gives one")
	case r.closed:
		return badOption("the Result is closed, and has no values any more")
	case r.file == "":
		return nil
	}
	return &InputError{Text: "the values of the result are in " + r.file + " alone", Help: "read the file, or call without WithFile"}
}

// String renders the result for people; what is long is cut in the middle.
func (r *Result) String() string {
	switch {
	case r == nil || r.value == nil:
		return "no result"
	case r.file != "":
		return "written to " + r.file
	case r.closed:
		return "a result that is closed"
	}
	return value.Render(r.value, value.RenderOptions{})
}

// JSON is the result as JSON: arrays and tuples as arrays, records as
// objects, None as null; NaN and the infinities are strings. It is null if the values are in a file.
func (r *Result) JSON() []byte {
	if r.away() != nil {
		return []byte("null")
	}
	return value.JSON(r.value)
}

// Float64 is a float or integer scalar as a float64.
func (r *Result) Float64() (float64, error) {
	if err := r.away(); err != nil {
		return 0, err
	}
	if r.value.Type.IsScalar() && r.value.Type.Means.Sort == meaning.None {
		if c := r.value.Columns[0]; c.Kind != num.Bool {
			bits, _ := num.Convert(c.Kind, num.F64, c.At(0))
			return num.ToFloat(num.F64, bits), nil
		}
	}
	return 0, mismatch(r.value.Type, "float64")
}

// Int64 is an integer scalar.
func (r *Result) Int64() (int64, error) { return As[int64](r) }

// Slice sets the slice that dst points to; see As.
func (r *Result) Slice(dst any) error { return decodeTo(r, dst) }

// Type is the result's type with all sizes as numbers.
func (r *Result) Type() string {
	if r == nil || r.value == nil {
		return ""
	}
	return r.value.Type.String()
}

// concrete writes numbers for the sizes in a type: the dimensions of the
// columns, in the order of its leaves, and the declared sizes of a run.
type concrete struct {
	cols  []column.Column
	sizes map[string]int64
}

func (c *concrete) typ(t *graph.Type, depth int) *graph.Type {
	if t.Kind == graph.Scalar {
		c.cols = c.cols[1:]
		return t
	}
	u := *t
	u.Elems = make([]*graph.Type, len(t.Elems))
	switch t.Kind {
	case graph.Index:
		c.cols = c.cols[1:]
		if n, ok := t.Bound.Eval(func(name string) (int64, bool) { n, ok := c.sizes[name]; return n, ok }); ok {
			u.Bound = size.Const(n)
		}
	case graph.Option:
		c.cols = c.cols[1:]
	case graph.Array:
		if len(c.cols) > 0 {
			u.Size = size.Const(c.cols[0].Dims[depth])
		}
		depth++
	}
	for i, e := range t.Elems {
		u.Elems[i] = c.typ(e, depth)
	}
	return &u
}

// move writes the result to a file and forgets its values.
func (r *Result) move(path string, write func(*data.Output) error) error {
	out, err := output(r.value)
	if err != nil {
		return refusal(path, err)
	}
	if err := write(out); err != nil {
		return (&Func{}).failure(err)
	}
	r.file = path
	for i := range r.value.Columns {
		r.value.Columns[i].Data = nil
	}
	return nil
}

// WriteFile writes the result in the format of the extension: .npy, .csv, .tsv, .jsonl,
// .arrow or .parquet. With the names of columns it writes a folder instead, which is not there yet or empty: a file for each value of these columns, in
// folders column=value that have the names as Hive and Spark write them; without an extension the files are Parquet.
// Nothing is left behind when it fails.
func (r *Result) WriteFile(path string, by ...string) error {
	if err := r.away(); err != nil {
		return err
	}
	out, err := output(r.value)
	if err != nil {
		return refusal(path, err)
	}
	if err := (data.Target{Path: path, By: by}).Write(context.Background(), out); err != nil {
		return (&Func{}).failure(err)
	}
	return nil
}
