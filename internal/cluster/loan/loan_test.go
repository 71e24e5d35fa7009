package loan

import "testing"

func TestClasses(t *testing.T) {
	for _, n := range []int{Least, Least + beside, Least + beside + 1, 256 << 10, 256<<10 + beside, 1 << 20, Most, Most + beside} {
		l := Of(n)
		if l.whole == nil || len(l.Bytes()) != n || cap(l.Bytes()) != n || len(*l.whole) < n {
			t.Errorf("%d bytes: %d of %d, kept: %v", n, len(l.Bytes()), cap(l.Bytes()), l.whole != nil)
		} else if w := len(*l.whole); w-beside >= 2*n {
			t.Errorf("%d bytes lie in %d", n, w)
		}
		l.Back()
	}
	for _, n := range []int{0, 1, Least - 1, Most + beside + 1} {
		if l := Of(n); l.whole != nil || len(l.Bytes()) != n {
			t.Errorf("%d bytes: %d, kept: %v", n, len(l.Bytes()), l.whole != nil)
		}
	}
}

func TestBackOnce(t *testing.T) {
	l := Of(Least)
	l.Back()
	next := Of(Least)
	l.Back() // of no effect on who has it now
	other := Of(Least)
	next.Bytes()[0], other.Bytes()[0] = 1, 2
	if next.Bytes()[0] != 1 {
		t.Error("memory that was given back twice was lent twice")
	}
	(*Loan)(nil).Back()
}
