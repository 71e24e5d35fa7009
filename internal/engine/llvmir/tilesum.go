package llvmir

import (
	"strconv"
)

// sums folds the rows of all cells by halves: first whole pieces, then the
// lanes within a vector, of two vectors at a time, so that the vectors stay
// full. Then a vector holds as many groups of lanes as it has merged.
func (t *tiling) sums(rows *tileMemory) []string {
	a := t.accs[0]
	var vectors []string
	for x := range t.rows * t.columns {
		p := make([]string, t.pieces)
		for i := range p {
			p[i] = t.recall(rows.ty, rows.at(x, strconv.Itoa(i)))
		}
		for half := len(p) / 2; half > 0; half /= 2 {
			for i := range half {
				p[i] = t.combine(a, t.n, p[i:i+1], p[i+half:i+half+1])[0]
			}
		}
		vectors = append(vectors, p[0])
	}
	cells := len(vectors)
	for width := t.n; width > 1; width /= 2 {
		var merged []string
		for i := 0; i < len(vectors); i += 2 {
			other := "poison"
			if i+1 < len(vectors) {
				other = vectors[i+1]
			}
			merged = append(merged, t.mergeHalves(vectors[i], other, width))
		}
		vectors = merged
	}
	place := t.places(cells)
	sums := make([]string, cells)
	for x := range sums {
		sums[x] = t.set("extractelement %s %s, i64 %d", typ{a.Kind, t.n}, vectors[place[x]/t.n], place[x]%t.n)
	}
	return sums
}

// mergeHalves folds groups of width lanes of two vectors into groups of half
// that in one.
func (t *tiling) mergeHalves(x, y string, width int) string {
	ty := typ{t.accs[0].Kind, t.n}
	low, high := make([]int, 0, t.n), make([]int, 0, t.n)
	for group := 0; group < 2*t.n; group += width {
		for l := range width / 2 {
			low, high = append(low, group+l), append(high, group+width/2+l)
		}
	}
	left := t.set("shufflevector %s %s, %s %s, %s", ty, x, ty, y, mask(low))
	right := t.set("shufflevector %s %s, %s %s, %s", ty, x, ty, y, mask(high))
	return t.combine(t.accs[0], t.n, []string{left}, []string{right})[0]
}

// places follows where the groups of the cells end up: vector·n + lane.
func (t *tiling) places(cells int) []int {
	place := make([]int, cells)
	for x := range place {
		vector, lane := x, 0
		for width := t.n; width > 1; width /= 2 {
			lane = (vector%2*t.n + lane) / 2
			vector /= 2
		}
		place[x] = vector*t.n + lane
	}
	return place
}
