package digest

import (
	"crypto/sha256"
	"strings"
	"testing"
)

func TestShort(t *testing.T) {
	sum := sha256.Sum256(nil)
	const want = "e3b0c44298fc"
	if got := Short(sum); got != want || len(got) != Digits {
		t.Errorf("%s, not %s", got, want)
	}
	if got := Cut(want + "1c14"); got != want || Cut("ab") != "ab" {
		t.Errorf("%s, not %s", got, want)
	}
}

func TestFind(t *testing.T) {
	all := []string{"aaaa11", "aaaa22", "bbbb11", "bbbb11"}
	for _, tt := range []struct{ prefix, want, fails string }{
		{"bbbb", "bbbb11", ""},
		{"aaaa2", "aaaa22", ""},
		{"aaaa", "", "2 hashes begin with aaaa: give more digits"},
		{"cccc", "", "no hash begins with cccc"},
	} {
		got, err := Find(tt.prefix, all)
		if got != tt.want || (err == nil) != (tt.fails == "") || err != nil && err.Error() != tt.fails {
			t.Errorf("%s: %s, %v", tt.prefix, got, err)
		}
	}
	for text, want := range map[string]bool{"abc": false, "abcd": true, "ci-key": false, "ABCD": false, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false} {
		if Prefix(text) != want {
			t.Errorf("%s", text)
		}
	}
}
