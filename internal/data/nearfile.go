package data

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// In: the name of a file that is not there. Out: the file beside it that was probably meant: one whose name takes few edits, or has
// an ending that was left out.

// mostLooked is more names than anybody looks through for a slip.
const mostLooked = 10_000

// NearFile is that file's name; "" if there is none.
func NearFile(path string) string {
	folder, base := filepath.Split(path)
	if base == "" {
		return ""
	}
	dir, err := os.Open(filepath.Join(folder, "."))
	if err != nil {
		return ""
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(mostLooked)
	slices.Sort(names)
	stem, ending, _ := strings.Cut(base, ".")
	var others, stems []string
	for _, n := range names {
		switch s, e, _ := strings.Cut(n, "."); {
		case aside(n):
		case s == stem && (Reads(n) || e == ending):
			others = append(others, n)
		case e == ending:
			stems = append(stems, s)
		}
	}
	if len(others) == 1 {
		return folder + others[0]
	}
	if n := diag.Nearest(base, others); n != "" {
		return folder + n
	}
	if s := diag.Nearest(stem, stems); s != "" {
		return folder + strings.TrimSuffix(s+"."+ending, ".")
	}
	return ""
}

// notThere is the error for a file that cannot be opened.
func notThere(path string, err error) *Error {
	e := systemError(path, err)
	if near := NearFile(path); near != "" && errors.Is(err, fs.ErrNotExist) {
		e.Help = "did you mean `" + near + "`?"
	}
	return e
}
