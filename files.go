package godwit

import (
	"context"

	"github.com/godwit-run/godwit/internal/data"
)

// In: names of files. Out: one table with the rows of all of them, as an argument or as a Source.

// Files are the rows of several files, one after the other, as one argument. Each is the name of a file or of a folder, or a pattern
// such as flights/part-*.parquet, in which * stands for any signs of a name, ? for one and ** for any folders. The files of a folder
// and of a pattern come in the order of their names, with numbers in them compared as numbers.
type Files []string

// FileOptions say how files are read, where their names and first bytes do not: how the fields of text are written, above all.
// The zero value says nothing.
type FileOptions = data.Options

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
		return nil, clusterError(err)
	}
	return src, nil
}
