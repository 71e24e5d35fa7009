package store

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSealReadsNothing: when the last part has come, the sums of all are made, in whatever order parts come; what
// was written twice at the same time is what the file has.
func TestSealReadsNothing(t *testing.T) {
	inBoth(t, func(t *testing.T, o Options) {
		const part = 50_000
		for round, order := range []func([]int64){
			func([]int64) {},
			slices.Reverse[[]int64],
			func(x []int64) {
				rand.New(rand.NewPCG(1, 2)).Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
			},
			func(x []int64) { x[0] = x[1] }, // the first is missing, and comes at the end
		} {
			s := open(t, t.TempDir(), o)
			f, b := numbers(t, 1, 0, 0, 100_000)
			var at []int64
			for lo := int64(0); lo < f.Bytes; lo += part {
				at = append(at, lo)
			}
			order(at)
			for _, lo := range append(at, 0) {
				check(t, s.Put("a", f, lo, b[lo:min(lo+part, f.Bytes)]))
			}
			u := s.uploads[f.key()]
			if u.at != f.Bytes {
				t.Errorf("order %d: %d bytes of %d are left to be read", round, f.Bytes-u.at, f.Bytes)
			}
			u.twice = round%2 == 0
			if !o.Memory && !u.twice {
				// What counts came from memory: this is found when it is read.
				_, err := u.f.WriteAt([]byte{1, 2, 3}, f.Bytes/2)
				check(t, err)
			} else if u.twice {
				_, err := u.f.WriteAt([]byte{1, 2, 3}, f.Bytes/2)
				check(t, err)
				refused[*WrongError](t, s.Seal(f))
				continue
			}
			check(t, s.Seal(f))
		}
	})
}
