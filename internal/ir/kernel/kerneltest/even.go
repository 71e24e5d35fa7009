package kerneltest

import (
	"math/bits"

	"pgregory.net/rapid"
)

// even draws from 0..n evenly, out of single bits: rapid's own ranges and
// samples prefer the first so much that kernels stay empty.
func even(t *rapid.T, n int, label string) int {
	r := 0
	for range bits.Len(uint(n-1)) + 2 {
		r = r << 1
		if rapid.Bool().Draw(t, label) {
			r |= 1
		}
	}
	return r % n
}

// oneOf draws an element of s evenly.
func oneOf[T any](t *rapid.T, s []T, label string) T { return s[even(t, len(s), label)] }

// some draws up to most elements of s.
func some[T any](t *rapid.T, s []T, least, most int, label string) []T {
	var r []T
	for range least + even(t, most-least+1, label) {
		r = append(r, oneOf(t, s, label))
	}
	return r
}

// filter keeps the elements of s for which keep holds.
func filter[T any](s []T, keep func(T) bool) []T {
	var r []T
	for _, x := range s {
		if keep(x) {
			r = append(r, x)
		}
	}
	return r
}
