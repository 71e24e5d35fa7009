package run

import "golang.org/x/sys/cpu"

// sums merges all words and their sums with add, see merged: by vectors, where the processor has them.
func sums(words []uint64, add uint64) uint64 {
	n := 0
	if cpu.X86.HasAVX2 && len(words) >= wordsAtOnce {
		n = len(words) &^ (wordsAtOnce - 1)
	}
	m := merged(words[n:], add)
	if n > 0 {
		m |= sumsAVX2(&words[0], n, add)
	}
	return m
}

// wordsAtOnce are four vectors.
const wordsAtOnce = 16

// sumsAVX2 is merged for n words, a multiple of wordsAtOnce above 0.
//
//go:noescape
func sumsAVX2(words *uint64, n int, add uint64) uint64
