//go:build !amd64

package run

// sums merges all words and their sums with add, see merged.
func sums(words []uint64, add uint64) uint64 { return merged(words, add) }
