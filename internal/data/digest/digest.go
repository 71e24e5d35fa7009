// Package digest writes SHA-256 sums, which name kernels, packages and files, and finds them again
// by what people type.
//
// In programs' output a sum has all of its 64 hexadecimal digits, in text for people the first
// [Digits]. People may type any beginning that fits one sum alone.
package digest

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// Digits is how many hexadecimal digits of a sum people see: two sums among a million agree in
// them with a probability of 1 in 500.
const Digits = 12

// least is how many digits a beginning must have, so that a word is not taken for one.
const least = 4

// Short is a sum for people.
func Short(sum [32]byte) string { return hex.EncodeToString(sum[:Digits/2]) }

// Cut is Short of a sum that is text already. What is shorter stays as it is.
func Cut(sum string) string { return sum[:min(len(sum), Digits)] }

// Prefix reports whether a text can be the beginning of a sum.
func Prefix(text string) bool {
	return len(text) >= least && len(text) <= 64 && strings.Trim(text, "0123456789abcdef") == ""
}

// Find gives the one sum among all that begins with prefix. Equal sums count once.
func Find(prefix string, all []string) (string, error) {
	found := map[string]bool{}
	one := ""
	for _, s := range all {
		if strings.HasPrefix(s, prefix) {
			found[s], one = true, s
		}
	}
	switch len(found) {
	case 1:
		return one, nil
	case 0:
		return "", fmt.Errorf("no hash begins with %s", prefix)
	}
	return "", fmt.Errorf("%d hashes begin with %s: give more digits", len(found), prefix)
}
