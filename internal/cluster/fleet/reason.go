package fleet

import (
	"strings"

	"github.com/godwit-run/godwit/internal/data/regular"
)

// lineShown is how many characters of a line are shown.
const lineShown = 300

// reason is the line of a node's log, from a place on, that tells best why the node ended: the
// message that it ended with, a panic's first line, the last error, or else the last line that tells of something wrong.
func reason(log string, from int64) string {
	f, err := regular.Open(log)
	if err != nil {
		return ""
	}
	defer f.Close()
	return telling(tail(f, from))
}

func telling(text string) string {
	var last, failed, crash, message string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			continue
		case strings.HasPrefix(line, "error: "):
			message = line
		case crash == "" && crashed(line):
			crash = line
		case strings.Contains(line, "level=ERROR"):
			failed = line
		}
		if !strings.Contains(line, "level=INFO") && !strings.Contains(line, "level=DEBUG") { // which tells of nothing wrong
			last = line
		}
	}
	for _, line := range []string{crash, message, failed, last} {
		if line != "" {
			return shown(line)
		}
	}
	return ""
}

// crashed reports that a line is the first of what Go's runtime says of a panic.
func crashed(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
}

// shown leaves out the time of a structured line, and the end of a long one.
func shown(line string) string {
	if rest, ok := strings.CutPrefix(line, "time="); ok {
		if _, after, ok := strings.Cut(rest, " "); ok {
			line = after
		}
	}
	if r := []rune(line); len(r) > lineShown {
		return string(r[:lineShown]) + "…"
	}
	return line
}
