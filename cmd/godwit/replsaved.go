package main

import "strings"

// In: what has names in a conversation. Out: comments at the end of a program, and again the inputs that they were made of. A program has no
// names for expressions: it stays one, and whoever loads it into a conversation has them again.

const savedUnder = "// Names of the conversation, which :load gives again:"

// asComments writes the names for expressions among what was said; "" if there are none.
func asComments(texts []string) string {
	var b strings.Builder
	for _, text := range texts {
		if !strings.HasPrefix(text, "let ") {
			continue
		}
		if b.Len() == 0 {
			b.WriteString(savedUnder + "\n")
		}
		for line := range strings.Lines(text + "\n") {
			b.WriteString("// " + line)
		}
	}
	return b.String()
}

// savedNames are the inputs that give such names, in their order.
func savedNames(text string) (list []string) {
	_, under, _ := strings.Cut(text, savedUnder+"\n")
	input := ""
	for line := range strings.Lines(under) {
		comment, ok := strings.CutPrefix(line, "//")
		if !ok {
			break
		}
		if input += strings.TrimPrefix(comment, " "); !open(input) {
			list, input = append(list, strings.TrimSpace(input)), ""
		}
	}
	return list
}
