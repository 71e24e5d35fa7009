package elaborate

import (
	"os"
	"path/filepath"
	"testing"
)

func TestExamplesTmp(t *testing.T) {
	files, _ := filepath.Glob("../examples/*/*.gw")
	for _, f := range files {
		t.Run(f, func(t *testing.T) {
			text, _ := os.ReadFile(f)
			p, msgs := checkText(f, string(text))
			if err := msgs.Err(); err != nil {
				t.Fatal(err)
			}
			verifyAll(t, p)
		})
	}
}
