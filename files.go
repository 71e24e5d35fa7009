package godwit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/godwit-run/godwit/internal/data"
)

// In: names of files. Out: one table with the rows of all of them, as an argument or as a Source.

// Files are the rows of several files, one after the other, as one argument. Each is the name of a file or of a folder, or a pattern
// such as flights/part-*.parquet, in which * stands for any signs of a name, ? for one and ** for any folders. The files of a folder
// and of a pattern come in the order of their names, with numbers in them compared as numbers.
type Files []string

// FileOptions say how files are read, where their names and first bytes do not: how the fields of text are written, above all.
// The zero value says nothing. They are what the command line says behind a ? in the name of a file: its thousands=, is Thousands: ','.
//
//	Format    string   // "csv", "jsonl", "npy", "arrow" or "parquet"
//	Separator byte     // sep=
//	Quote     byte     // quote=
//	NoQuote   bool     // quote=none
//	Decimal   byte     // decimal=
//	Thousands byte     // thousands=
//	NA        []string // na=
//	Date      string   // date=
//	NoHeader  bool     // header=no
//	Header    bool     // header=yes
//	Unique    bool     // header=unique
//	Skip      int      // skip=
//	Encoding  string   // encoding=
//	Text      []string // text=
//	Number    []string // number=
//	Types     []string // types=
type FileOptions = data.Options

// namedWith gives the error for a file that is not there a help where its name has options behind a ?, as on the command line.
func namedWith(err error) error {
	var input *InputError
	var file *data.Error
	if !errors.As(err, &input) || !errors.As(err, &file) {
		return err
	}
	name, said, ok := strings.Cut(file.Path, "?")
	if _, err := data.ParseOptions(said); !ok || err != nil {
		return input
	}
	if _, err := os.Stat(name); err != nil {
		return input
	}
	other := *input
	other.Help = fmt.Sprintf("a name with options behind it is a godwit.Text(%q); OpenFiles has godwit.FileOptions for them", file.Path)
	return &other
}

// OpenFiles opens files, folders and patterns, see [Files], as one table, which may be an argument of many calls. Their columns are the same,
// but may have another order. Of many files only a few are open at a time. Close the table after the last call. A file that is written to
// meanwhile is an error of the call that would read it.
func OpenFiles(ctx context.Context, opt FileOptions, names ...string) (Source, error) {
	if ctx == nil {
		return nil, noContext("OpenFiles")
	}
	if len(names) == 0 {
		return nil, badOption("OpenFiles: there is no name")
	}
	src, err := data.OpenSpec(ctx, data.Several(names, opt), data.StandardInput)
	if err != nil {
		return nil, namedWith(clusterError(err))
	}
	return src, nil
}
