package main

import (
	"fmt"
	"math"
)

// compare runs a form and holds its result to ours, element by element. It gives
// by how much the checksums of results may differ that do not differ more.
func (b *bench) compare(t task, f form, threads int, w work, ours, theirs []vector) (tolerance float64, err error) {
	clear(w.out)
	if _, err := b.peer.time(f, threads, w); err != nil {
		return 0, err
	}
	for i := range ours {
		s, err := t.differ(ours[i], theirs[i])
		if err != nil {
			return 0, fmt.Errorf("ours and C %s differ: column %d: %w", f, i, err)
		}
		tolerance = max(tolerance, s)
	}
	return tolerance, nil
}

func (t task) differ(ours, theirs vector) (tolerance float64, err error) {
	x, err := ours.reader()
	if err != nil {
		return 0, err
	}
	y, err := theirs.reader()
	if err != nil {
		return 0, err
	}
	for i := range ours.len() {
		a, b := x(i), y(i)
		bound := t.abs + t.rel*math.Abs(b)
		if !(math.Abs(a-b) <= bound) {
			return 0, fmt.Errorf("element %d of %d: %.9g against %.9g, expected a difference of at most %.3g", i, ours.len(), a, b, bound)
		}
		tolerance += bound * weight(i)
	}
	return tolerance, nil
}

// weight makes elements in the wrong place show in a checksum.
func weight(i int) float64 { return float64(i%61 + 1) }

// checksums are the weighted sums of columns; that of one number is the number.
func checksums(list []vector) (sums []float64, err error) {
	for _, v := range list {
		x, err := v.reader()
		if err != nil {
			return nil, err
		}
		s := 0.0
		for i := range v.len() {
			s += x(i) * weight(i)
		}
		sums = append(sums, s)
	}
	return sums, nil
}
