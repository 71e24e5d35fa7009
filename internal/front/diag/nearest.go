package diag

import "strings"

// Nearest finds the name that takes the fewest edits to become one of those
// that exist, "" if none is near enough to be what was meant.
func Nearest(name string, among []string) string {
	best, at := "", (len(name)+1)/3+1
	for _, n := range among {
		if d := edits(strings.ToLower(name), strings.ToLower(n), at); d < at && d < len(name) && n != name {
			best, at = n, d
		}
	}
	return best
}

// edits is the number of insertions, deletions, replacements and swaps of
// neighbours between two names, or limit if it is not less.
func edits(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	prev2, prev, row := rows[0], rows[1], rows[2]
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
