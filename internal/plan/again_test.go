package plan_test

import (
	"testing"

	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// TestAgain: an exponential takes less to compute again than to write and read, forty of them take more; and maps that are little work, or
// can fault, are not in question.
func TestAgain(t *testing.T) {
	const n = 100_000_000
	sizes, opt := map[string]int64{"N": n}, plan.Options{Machine: machine.Default(), Engine: "native", Threads: 1}
	for text, want := range map[string]bool{
		"{ x.softmax() }": true,
		"{ let e = x.map(|v| (0..40).map(|k| (v * (k as f64)).sin()).sum()); let s = e.sum(); e.map(|v| v / s) }": false,
	} {
		s := bound(t, "fn f(x: &[f64; N]) -> [f64; N] "+ranged+" "+text, 100_000).Schedule
		if s.Again == nil {
			t.Fatalf("%s: no map can be computed again", text)
		}
		again, err := s.Again()
		if err != nil {
			t.Fatal(err)
		}
		pays, err := plan.Again(s, again, sizes, 8*n, opt)
		if err != nil || pays != want {
			t.Errorf("%s: computing again pays %v (%v)", text, pays, err)
		}
		if pays, err = plan.Again(s, again, sizes, 0, opt); err != nil || pays {
			t.Errorf("%s: it pays where no memory is saved (%v)", text, err)
		}
		passes := func(b int) bool { return b == again.Result[0].Buffer }
		if held := plan.LivesOf(again).Peak(sizes, passes).Bytes; held > n/100 {
			t.Errorf("%s: %.0f bytes are held when everything is computed again", text, held)
		}
	}
	for _, text := range []string{
		"{ let e = x.map(|v| v + 1.0); let s = e.sum(); e.map(|v| v / s) }",
		"{ let e = x.map(|v| v.exp() as i64 as f64 + v.sin()); let s = e.sum(); e.map(|v| v / s) }",
		"{ x.map(|v| v.exp().sin()) }",
	} {
		if s := bound(t, "fn f(x: &[f64; N]) -> [f64; N] "+ranged+" "+text, 100_000).Schedule; s.Again != nil {
			t.Errorf("%s: a map is to be computed again", text)
		}
	}
}

// TestQuicker: whether maps that are computed again take less is a matter of how slow memory is beside the processor.
func TestQuicker(t *testing.T) {
	s := bound(t, "fn f(x: &[f64; N]) -> [f64; N] "+ranged+" { x.softmax() }", 10).Schedule
	again, err := s.Again()
	if err != nil {
		t.Fatal(err)
	}
	for times, want := range map[float64]bool{0.1: false, 30: true} {
		m := edited(t, func(m *machine.Machine) {
			for _, mem := range m.Memory {
				for _, c := range []machine.Curve{mem.Read, mem.Write, mem.Fresh} {
					for i := range c {
						c[i].Time = c[i].Time.Times(times)
					}
				}
			}
			m.Engines["native"].Error = 1
		})
		quicker, close, err := plan.Quicker(s, again, map[string]int64{"N": 100_000_000}, plan.Options{Machine: m, Engine: "native", Threads: 1})
		if err != nil || quicker != want || close {
			t.Errorf("memory that takes %v times as long: quicker %v, close %v (%v)", times, quicker, close, err)
		}
	}
}
