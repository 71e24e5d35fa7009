package plan_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/schedule"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/plan/seen"
)

// What has to be decoded is expected at the first launch that needs it, once, and as it took before: by bytes and values, and divided among threads.
func TestDecoding(t *testing.T) {
	m := *machine.Default()
	m.Decode = map[string]machine.Decode{"csv": {Byte: 2, Value: 10}}
	p := bound(t, "fn f(x: &[f64; N]) -> (f64, [f64; N]) "+ranged+" { let m = x.map(|v| v.exp()).sum(); (m, x.map(|v| v / m).sort()) }", 100_000)
	src := data.FromSlice([]float64{1})
	stored := data.Stored{Form: "csv", Bytes: 1e6, Values: 1e5, Together: true}
	sizes, chunks, ruledOut := p.Inputs.Sizes, 0, 0.0
	predict := func(threads int, past plan.Past, encoded bool) *plan.Prediction {
		opt := plan.Options{Machine: &m, Engine: "wasm", Threads: threads, Past: past}
		if encoded {
			opt.Encoded = func(*schedule.Schedule, *schedule.Launch, int) (plan.Encoded, bool) {
				return plan.Encoded{Stored: stored, Source: src, Chunks: chunks, RuledOut: ruledOut}, true
			}
		}
		out, err := plan.Predict(p.Schedule, sizes, opt)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for threads, want := range map[int]float64{1: 3e6, 2: 1.5e6} {
		plain, got := predict(threads, plan.Past{}, false), predict(threads, plan.Past{}, true)
		if more := got.Time.P50 - plain.Time.P50; more < 0.999*want || more > 1.001*want {
			t.Errorf("%d threads: decoding adds %v ns, expected %v", threads, more, want)
		}
		if got.Steps[0].Parts.Decoded == 0 || got.Steps[len(got.Steps)-1].Parts.Decoded != 0 || got.Steps[0].Most != "decoding files" {
			t.Errorf("decoding is not at the first step: %+v", got.Steps)
		}
	}
	chunks = 1
	if one, two := predict(1, plan.Past{}, true), predict(2, plan.Past{}, true); two.Steps[0].Parts.Decoded != one.Steps[0].Parts.Decoded {
		t.Errorf("two threads decode one chunk in %v ns, one in %v", two.Steps[0].Parts.Decoded, one.Steps[0].Parts.Decoded)
	}
	chunks = 0
	past := plan.Past{Seen: seen.New(""), Program: p.Program.ID, Name: p.Program.Name}
	here, _ := machine.Here().Decoding("csv")
	for range 3 { // three times what was to be expected here: three times what is to be expected there
		past.Seen.Note(seen.OfForm("csv"), seen.Point{Sizes: []int64{1e6, 1e5}}, 3*here.Time(1e6, 1e5))
	}
	plain, got := predict(1, past, false), predict(1, past, true)
	if more := got.Time.P50 - plain.Time.P50; more < 8.9e6 || more > 9.1e6 || !got.Warm {
		t.Errorf("decoding that took 9 ms adds %v ns, warm %v", more, got.Warm)
	}
	sizes = map[string]int64{"N": 50_000}
	if half := predict(1, past, true).Time.P50 - predict(1, past, false).Time.P50; half < 4.4e6 || half > 4.6e6 {
		t.Errorf("decoding half of it adds %v ns", half)
	}
	ruledOut = 0.75
	if eighth := predict(1, past, true).Time.P50 - predict(1, past, false).Time.P50; eighth < 1.1e6 || eighth > 1.15e6 {
		t.Errorf("decoding an eighth of it adds %v ns", eighth)
	}
}

// A form that was not measured is taken from what is like it; of one that is like none nothing is known.
func TestUnknownForms(t *testing.T) {
	m := machine.Machine{Decode: map[string]machine.Decode{"parquet zstd": {Byte: 3, Value: 4}}}
	if d, ok := m.Decoding("parquet brotli"); !ok || d.Byte != 3 {
		t.Errorf("%v %v", d, ok)
	}
	if d, ok := m.Decoding("parquet"); !ok || d.Byte == 3 || d.Byte <= 0 {
		t.Errorf("%v %v", d, ok)
	}
	if d, ok := m.Decoding("clay"); ok {
		t.Errorf("%v: clay tablets", d)
	}
}
