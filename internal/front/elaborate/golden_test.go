package elaborate

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the messages that are given into testdata")

// section is one file inside a text archive: `-- name --` and what follows.
type section struct{ name, text string }

func readArchive(text string) []section {
	var list []section
	for line := range strings.Lines(text) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "-- ")
		if ok && strings.HasSuffix(name, " --") {
			list = append(list, section{name: strings.TrimSuffix(name, " --")})
		} else if len(list) > 0 {
			list[len(list)-1].text += line
		}
	}
	return list
}

// TestRejected compares the messages for wrong programs with those recorded
// beside them. Run with -update to record anew, and read the difference.
func TestRejected(t *testing.T) {
	files, err := filepath.Glob("testdata/rejected/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no rejected programs", err)
	}
	programs := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		want := map[string]string{}
		sections := readArchive(string(text))
		for _, s := range sections {
			want[s.name] = strings.TrimSpace(s.text)
		}
		for _, s := range sections {
			name, ok := strings.CutSuffix(s.name, ".gw")
			if !ok {
				continue
			}
			programs++
			got := rejected(t, s)
			out.WriteString("-- " + s.name + " --\n" + strings.TrimSpace(s.text) + "\n-- " + name + ".txt --\n" + got + "\n")
			if !*update && got != want[name+".txt"] {
				t.Errorf("%s, %s: got\n%s\nwant\n%s", path, s.name, got, want[name+".txt"])
			}
		}
		if *update {
			if err := os.WriteFile(path, []byte(out.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if programs < 40 {
		t.Errorf("only %d rejected programs", programs)
	}
}

// rejected gives the messages for a program, which must be errors.
func rejected(t *testing.T, s section) string {
	_, msgs := checkText(s.name, strings.TrimSpace(s.text)+"\n")
	if !msgs.Failed() {
		t.Errorf("%s is not rejected", s.name)
	}
	msgs.Sort()
	var b strings.Builder
	for _, m := range msgs.Messages {
		b.WriteString(m.Render())
	}
	lines := strings.Split(b.String(), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
