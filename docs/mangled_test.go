package docs

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestMangledWords: what newcomers write, with parts left out, exchanged and put into each other, has messages and no bug of the checker.
func TestMangledWords(t *testing.T) {
	rnd := rand.New(rand.NewPCG(20261127, 1))
	any := func(list []string) string { return list[rnd.IntN(len(list))] }
	good := wordsHead + "i64 { N }"
	for range 6000 {
		w, other := words[rnd.IntN(len(words))], words[rnd.IntN(len(words))].written
		body := w.written
		for range 1 + rnd.IntN(3) {
			at := tokens.FindAllStringIndex(body, -1)
			if len(at) == 0 {
				break
			}
			part := at[rnd.IntN(len(at))]
			body = body[:part[0]] + any([]string{"", any(tokens.FindAllString(other, -1)), other}) + body[part[1]:]
		}
		for _, m := range checked(entry{bad: w.program(body), good: good}) {
			if strings.HasPrefix(m.Text, "this is a bug") {
				t.Errorf("%s:\n%s", m.Text, w.program(body))
			}
		}
	}
}
