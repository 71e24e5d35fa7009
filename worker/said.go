package worker

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Bounds on the text that a worker writes to its standard error: what its code
// prints or gives to gw_log, and what Go's runtime says at its end. What exceeds them
// is dropped: lines here, bytes by the worker, whose pipe is then full.
const (
	tailBytes   = 16 << 10               // kept to look for the cause of an end
	lineBytes   = 1 << 10                // of a line in the log; the rest of the line is another one
	lineCount   = 64                     // in the log at once
	lineTime    = 100 * time.Millisecond // after which one more may follow
	againCount  = lineCount / 2          // that there must be before lines follow again after some were dropped
	chunkBytes  = 32 << 10               // read at once
	chunkTime   = chunkBytes * time.Second / rateBytes
	rateBytes   = 1 << 20 // read in a second
	chunksAhead = 8       // that may be read faster
)

// said reads a worker's text.
type said struct {
	mu      sync.Mutex
	log     *slog.Logger // nil for none
	last    []byte       // the end of the text, at most 2*tailBytes
	line    []byte       // begun, less than lineBytes
	total   int64        // bytes read
	dropped int64        // bytes not logged
	left    int          // lines that may still be logged
	at      time.Time    // up to when left is counted
	silent  int64        // bytes dropped since a line was logged
}

// begin says whose text it is from now on, and where it is logged.
func (s *said) begin(log *slog.Logger, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.at = lineCount, time.Now()
	if log != nil {
		s.log = log.With("package", id)
	}
}

// read reads until the pipe is closed, slowly if there is much.
func (s *said) read(r io.Reader) {
	b := make([]byte, chunkBytes)
	free := time.Now() // up to when the time of what was read is counted
	for {
		n, err := r.Read(b)
		s.show(s.keep(b[:n]))
		if err != nil {
			break
		}
		now := time.Now()
		if early := now.Add(-chunksAhead * chunkTime); free.Before(early) {
			free = early
		}
		free = free.Add(chunkTime * time.Duration(n) / chunkBytes)
		time.Sleep(free.Sub(now))
	}
	s.mu.Lock()
	line := s.line
	s.mu.Unlock()
	if len(line) > 0 {
		s.show(s.keep([]byte{'\n'}))
	}
}

// keep takes in text, and gives the lines to log.
func (s *said) keep(text []byte) (lines [][]byte, log *slog.Logger, silent int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total += int64(len(text))
	s.last = append(s.last, text...)
	if len(s.last) > 2*tailBytes {
		s.last = append(s.last[:0], s.last[len(s.last)-tailBytes:]...)
	}
	s.refill(time.Now())
	if s.left > 0 {
		silent, s.silent = s.silent, 0
	}
	for s.left > 0 && len(text) > 0 {
		n, whole := lineEnd(text, lineBytes-len(s.line))
		s.line = append(s.line, text[:n]...)
		text = text[n:]
		if whole {
			if len(bytes.TrimSpace(s.line)) > 0 {
				lines = append(lines, s.line)
				s.left--
			}
			s.line = nil
		}
	}
	s.dropped += int64(len(text))
	s.silent += int64(len(text))
	return lines, s.log, silent
}

// lineEnd says how many bytes still belong to a line, and whether they end it.
func lineEnd(text []byte, room int) (n int, whole bool) {
	text = text[:min(len(text), room)]
	if i := bytes.IndexByte(text, '\n'); i >= 0 {
		return i + 1, true
	}
	return len(text), len(text) == room
}

// refill counts the lines that may be logged by now.
func (s *said) refill(now time.Time) {
	n := int(now.Sub(s.at) / lineTime)
	switch {
	case s.left == 0 && n < againCount:
	case s.left+n >= lineCount:
		s.left, s.at = lineCount, now
	default:
		s.left += n
		s.at = s.at.Add(time.Duration(n) * lineTime)
	}
}

func (s *said) show(lines [][]byte, log *slog.Logger, silent int64) {
	if log == nil {
		return
	}
	if silent > 0 {
		log.Info("a package said more than is logged", "dropped_bytes", silent)
	}
	for _, l := range lines {
		log.Info("a package says", "text", printable(l))
	}
}

func (s *said) tail() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Clone(s.last)
}

// counts gives the bytes read, and those of them that are in no log.
func (s *said) counts() (total, dropped int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total, s.dropped
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
