package fleet

import (
	"io"
	"os"
	"path/filepath"
)

// logTail is how many bytes at the end of a log are looked at.
const logTail = 64 << 10

// logOf is the log of the node in a folder.
func logOf(dir string) string { return filepath.Join(dir, "log") }

// tail is the end of a log, as far as it was written from a place on; all of it if it was cut
// since. What can be read is given.
func tail(log *os.File, from int64) string {
	if info, err := log.Stat(); err == nil {
		if info.Size() < from {
			from = 0
		}
		from = max(from, info.Size()-logTail)
	}
	text, _ := io.ReadAll(io.NewSectionReader(log, from, logTail))
	return string(text)
}
