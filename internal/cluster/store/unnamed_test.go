package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
)

// A column without a name is called the same in a file and in a data set, and can be left out.
func TestUnnamedColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pandas.csv")
	if err := os.WriteFile(path, []byte(",value,\n0,5,7\n1,6,8\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	src, err := data.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for _, c := range []struct {
		skip []string
		want string
	}{
		{nil, "#1 value #3"},
		{[]string{"#1"}, "value #3"},
		{[]string{"#1", "#2"}, "#3"},
		{[]string{"value", "#3"}, "#1"},
		{[]string{"#4"}, "there is no column `#4`; the columns are `#1`, `value`, `#3`"},
		{[]string{"valu"}, "there is no column `valu`"},
	} {
		s, err := NewSplit(t.Context(), src, SplitOptions{Shards: 1, Skip: c.skip})
		if err != nil {
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v: %v", c.skip, err)
			}
			continue
		}
		var names []string
		for _, col := range s.Columns {
			names = append(names, col.Name)
			if i, err := data.Lookup(src, col.Name); err != nil || src.Columns()[i].Name != col.Name {
				t.Errorf("%s of the set is none of the file's: %v", col.Name, err)
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%v: %s", c.skip, got)
		}
	}
}
