package godwit

import (
	"strings"
	"testing"
)

// TestIndexIntoNothing does not offer to limit an index that is limited already.
func TestIndexIntoNothing(t *testing.T) {
	if help := limitedKey("i.clamp_idx()", "index into nothing"); help == "" || strings.Contains(help, "clamp") {
		t.Errorf("the help is `%s`", help)
	}
}
