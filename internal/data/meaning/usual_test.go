package meaning

import (
	"testing"

	"pgregory.net/rapid"
)

// What is read by fixed places is what the clock reads: bytes that are nearly a timestamp, in all units.
func TestUsual(t *testing.T) {
	read := 0
	rapid.Check(t, func(r *rapid.T) {
		b := Meaning{Sort: Timestamp, Unit: Second}.Append(nil, rapid.Int64Range(-62167219200, 253402300799).Draw(r, "second"))
		if rapid.Bool().Draw(r, "space") {
			b[10] = ' '
		}
		if rapid.Bool().Draw(r, "open") {
			b = b[:19]
		}
		if rapid.IntRange(0, 2).Draw(r, "odd") == 0 {
			b[rapid.IntRange(0, len(b)-1).Draw(r, "at")] = rapid.SampledFrom([]byte("0123456789-:TtZz. +x/")).Draw(r, "byte")
		}
		for _, u := range []Unit{Second, Milli, Micro, Nano} {
			got, ok := usual(b, u)
			want, why := parseSlowly(b, u)
			if ok && (why != "" || got != want) {
				r.Fatalf("%q in %s: %d, the clock says %d %s", b, u, got, want, why)
			}
			if ok {
				read++
			}
		}
	})
	if read < 50 {
		t.Errorf("%d were read by fixed places: too few to tell", read)
	}
}
