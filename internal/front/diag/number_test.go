package diag

import "testing"

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", -999: "-999"} {
		if got := Prose(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
	if got := Literal(9999) + " " + Literal(10000); got != "9999 10_000" {
		t.Error(got)
	}
	for n, want := range map[int64]string{0: "0 rows", 1: "1 row", 2000: "2,000 rows"} {
		if got := Counted(n, "row"); got != want {
			t.Errorf("%d is counted as %s, want %s", n, got, want)
		}
	}
}
