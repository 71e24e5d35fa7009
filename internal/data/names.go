package data

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// nameAll gives columns without a name, such as an index that pandas wrote, their number, by which
// programs and commands can choose them. The only column of a file needs none.
func nameAll(cols []Column) {
	for i := range cols {
		if cols[i].Name == "" && len(cols) > 1 {
			cols[i].Name = numbered(i)
		}
	}
}

// numbered is the name of column i by its number, from 1 on.
func numbered(i int) string { return fmt.Sprintf("#%d", i+1) }

// Called is how a column is called in words and options: by its number, if it has no name.
func Called(src Source, column int) string {
	return cmp.Or(src.Columns()[column].Name, numbered(column))
}

// unique are names of which none comes again: the second a is a_1, or has the first number with which no other is called so.
func unique(names []string) []string {
	taken := map[string]bool{}
	for _, n := range names {
		taken[n] = true
	}
	out, seen := make([]string, len(names)), map[string]bool{}
	for i, n := range names {
		out[i] = n
		for k := 1; seen[n] && n != "" && taken[out[i]]; k++ {
			out[i] = fmt.Sprintf("%s_%d", n, k)
		}
		seen[n], taken[out[i]] = true, true
	}
	return out
}

// folded is a name of which only letters and digits count, all of them small: a field total_amount finds the column Total Amount.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// alike finds the column whose name is folded as name is: -1 if there is none, and an error if there are several.
func alike(src Source, name string, names []string) (int, error) {
	found, as := -1, folded(name)
	for i, n := range names {
		if as == "" || folded(n) != as {
			continue
		}
		if found >= 0 {
			e := fail(src.Path(), "there is no column `%s`, and both `%s` and `%s` are like it", name, names[found], n)
			e.Help = fmt.Sprintf("write the one that is meant as it is: `%s`", n)
			return -1, e
		}
		found = i
	}
	return found, nil
}

// Lookup finds the column called name, or of the number #N if none is called so, or else the only one whose name is the same but for
// capitals, spaces and signs. The error lists the columns that are there and suggests the nearest name.
func Lookup(src Source, name string) (int, error) {
	cols := src.Columns()
	names, found := make([]string, len(cols)), -1
	for i, c := range cols {
		names[i] = c.Name
		if c.Name != name {
			continue
		}
		if found >= 0 {
			e := fail(src.Path(), "columns %d and %d are both called `%s`", found+1, i+1, name)
			e.Help = fmt.Sprintf("choose one by its number: %s or %s", numbered(found), numbered(i))
			return -1, e
		}
		found = i
	}
	if found >= 0 {
		return found, nil
	}
	if len(cols) == 1 && cols[0].Name == "" && name == Unnamed {
		return 0, nil
	}
	for i := range cols {
		if name == numbered(i) {
			return i, nil
		}
	}
	if i, err := alike(src, name, names); i >= 0 || err != nil {
		return i, err
	}
	shown := make([]string, len(names))
	for i := range shown {
		shown[i] = Called(src, i)
	}
	e := fail(src.Path(), "there is no column `%s`; the columns are %s", name, listed(shown))
	if near := diag.Nearest(name, names); near != "" {
		e.Help = fmt.Sprintf("did you mean `%s`?", near)
	} else if src.Format() == "npy" {
		e.Msg = fmt.Sprintf("there is no column `%s`: an NPY file is one array without column names", name)
		e.Help = "declare the parameter as an array, or use a Parquet, Arrow or CSV file"
	}
	return -1, e
}
