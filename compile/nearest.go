package compile

import "strings"

// nearest is the name that is fewest edits away, "" if none is near.
func nearest(name string, among []string) string {
	best, found := 1+len(name)/3, ""
	for _, n := range among {
		if d := edits(strings.ToLower(name), strings.ToLower(n)); d < len(name) && d <= best && (found == "" || d < best) {
			best, found = d, n
		}
	}
	return found
}

// edits is the Levenshtein distance in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func quoted(names []string) string {
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = "`" + n + "`"
	}
	return strings.Join(parts, ", ")
}
