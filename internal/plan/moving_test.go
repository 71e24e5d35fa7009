package plan_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// TestThere: a launch that goes to slower machines takes longer, and the slowest of them counts; one that comes here does not care.
func TestThere(t *testing.T) {
	c := coming(t, bound(t, heavy, 1<<20))
	slow := edited(t, func(m *machine.Machine) {
		for name, class := range m.Engines["wasm"].Classes {
			m.Engines["wasm"].Classes[name] = machine.Class{One: 10 * class.One, Vector: 10 * class.Vector}
		}
	})
	weigh := func(there ...*machine.Machine) plan.Ways {
		return plan.Weigh(machine.Default(), &plan.Moving{Coming: c, Link: machine.Default().Link, Fetched: &plan.Load{Bytes: 8 << 20, Parcels: 16, Hops: 1}, Shipped: &plan.Load{Bytes: 100, Parcels: 4, Hops: 1}, Machines: 2, There: there})
	}
	alike, mixed := weigh(), weigh(slow, machine.Default())
	if same := weigh(machine.Default()); same[plan.Ship].P50 < alike[plan.Ship].P50/2 || same[plan.Ship].P50 > 2*alike[plan.Ship].P50 {
		t.Errorf("on machines like this one %v, described as such %v", alike[plan.Ship], same[plan.Ship])
	}
	if mixed[plan.Ship].P50 < 5*alike[plan.Ship].P50 || mixed[plan.Fetch] != alike[plan.Fetch] {
		t.Errorf("with a slow one among them %v, without %v", mixed, alike)
	}
	if alike[plan.Ship].P50 > alike[plan.Fetch].P50 || mixed[plan.Ship].P50 < mixed[plan.Fetch].P50 {
		t.Errorf("it should go there where machines are quick, and come here where they are slow: %v, %v", alike, mixed)
	}
}

// TestWhyNotWay: a link that is changed as it is said has the way chosen.
func TestWhyNotWay(t *testing.T) {
	c, m := coming(t, bound(t, heavy, 1<<20)), machine.Default()
	mv := &plan.Moving{Coming: c, Link: m.Link, Fetched: &plan.Load{Bytes: 8 << 20, Parcels: 16, Hops: 1}, Shipped: &plan.Load{Bytes: 100, Parcels: 4, Hops: 4}, Machines: 2}
	if out := plan.WhyNotWay(plan.Ship, m, mv); !out.Is || len(out.Changes) > 0 {
		t.Errorf("%+v", out)
	}
	if out := plan.WhyNotWay(plan.Gather, m, mv); out.Reason == "" || out.Time.P50 > 0 {
		t.Errorf("%+v", out)
	}
	mv.NoGather = errors.New("a loop inside a loop")
	if out := plan.WhyNotWay(plan.Gather, m, mv); !strings.Contains(out.Reason, "a loop inside a loop") {
		t.Errorf("%+v", out)
	}
	out := plan.WhyNotWay(plan.Fetch, m, mv)
	if out.Is || out.Time.P50 <= out.Chosen.P50 || len(out.Changes) == 0 {
		t.Fatalf("%+v", out)
	}
	for _, x := range out.Changes {
		chosen := func(at float64) bool {
			other := *mv
			l := &other.Link
			of := map[string]*machine.Spread{"[link] byte_ns": &l.Byte, "[link] round_trip_ns": &l.RoundTrip, "[link] parcel_ns": &l.Parcel}[x.What]
			*of = of.Times(at / x.Now)
			w := plan.Weigh(m, &other)
			return w.Best() == plan.Fetch
		}
		if !chosen(x.Needs) || chosen((x.Now+x.Needs)/2) {
			t.Errorf("it does not cross at %s = %v (now %v)", x.What, x.Needs, x.Now)
		}
	}
}
