package site

import (
	"strings"
	"testing"
)

// A limit that is too low is said with the number that is needed.
func TestDescriptors(t *testing.T) {
	if err := enough(64, 256); err == nil || !strings.Contains(err.Error(), "64") || !strings.Contains(err.Error(), "256") {
		t.Errorf("found %v", err)
	}
	if err := Descriptors(1); err != nil {
		t.Error(err)
	}
}
