package worker

import (
	"bufio"
	"bytes"
	"io"
	"log/slog"
	"strings"
	"sync"
	"unicode"
)

// Bounds on the text that a worker writes to its standard error: what its code
// prints or gives to gw_log, and what Go's runtime says at its end.
const (
	tailBytes = 16 << 10 // kept to look for the cause of an end
	lineBytes = 1 << 10  // of a line in the log; the rest of the line is another one
	lineCount = 64       // in the log for each call
)

// said reads a worker's text.
type said struct {
	mu   sync.Mutex
	log  *slog.Logger // nil for none
	last []byte       // the end of the text, at most 2*tailBytes
	left int          // lines that may still be logged
}

// begin says whose text it is from now on, and where it is logged.
func (s *said) begin(log *slog.Logger, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = lineCount
	if log != nil {
		s.log = log.With("package", id)
	}
}

// refill allows a call its lines.
func (s *said) refill() {
	s.mu.Lock()
	s.left = lineCount
	s.mu.Unlock()
}

// read reads until the pipe is closed; it never stops reading before, so that the
// worker is not blocked.
func (s *said) read(r io.Reader) {
	b := bufio.NewReaderSize(r, lineBytes)
	for {
		line, err := b.ReadSlice('\n')
		s.keep(line)
		if err != nil && err != bufio.ErrBufferFull {
			return
		}
	}
}

func (s *said) keep(line []byte) {
	s.mu.Lock()
	s.last = append(s.last, line...)
	if len(s.last) > 2*tailBytes {
		s.last = append(s.last[:0], s.last[len(s.last)-tailBytes:]...)
	}
	s.left--
	left, log := s.left, s.log
	s.mu.Unlock()
	if log == nil || left < 0 || len(line) == 0 {
		return
	}
	log.Info("a package says", "text", printable(line))
	if left == 0 {
		log.Info("a package says more in this call, which is not logged")
	}
}

func (s *said) tail() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.last)
}

// printable is a stranger's text in a form that can be shown: of bounded length,
// without control characters.
func printable(b []byte) string {
	b = b[:min(len(b), maxText)]
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.TrimSpace(strings.ToValidUTF8(string(b), "?")))
}
