package worker

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
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
	leastBytes  = 4 << 10 // that a read counts as, since it takes time however little there is
	chunksAhead = 8       // that may be read faster
)

// said reads a worker's text.
type said struct {
	mu      sync.Mutex
	log     *slog.Logger  // nil for none
	last    []byte        // the end of the text, at most 2*tailBytes
	line    []byte        // begun, less than lineBytes
	total   int64         // bytes read
	dropped int64         // bytes not logged
	all     *atomic.Int64 // those of all workers
	left    int           // lines that may still be logged
	at      time.Time     // up to when left is counted
	silent  int64         // bytes dropped since a line was logged
	full    bool          // lines are dropped
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

// countIn counts what is dropped in a sum too.
func (s *said) countIn(sum *atomic.Int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = sum
}

// read reads until the pipe is closed, slowly if there is much.
func (s *said) read(r io.Reader) {
	b := make([]byte, chunkBytes)
	free := time.Now() // up to when the time of what was read is counted
	for {
		n, err := r.Read(b)
		s.keep(b[:n]).show()
		if err != nil {
			break
		}
		now := time.Now()
		if early := now.Add(-chunksAhead * chunkTime); free.Before(early) {
			free = early
		}
		free = free.Add(chunkTime * time.Duration(max(n, leastBytes)) / chunkBytes)
		time.Sleep(free.Sub(now))
	}
	s.mu.Lock()
	line := s.line
	s.mu.Unlock()
	if len(line) > 0 {
		s.keep([]byte{'\n'}).show()
	}
}

// news is what is to be logged.
type news struct {
	log     *slog.Logger // nil for nothing
	dropped int64        // bytes, before the lines
	lines   [][]byte
	full    bool // no more lines follow for now
}

// keep takes in text, and gives what there is to log.
func (s *said) keep(text []byte) (out news) {
	s.mu.Lock()
	defer s.mu.Unlock()
	out.log = s.log
	s.total += int64(len(text))
	s.last = append(s.last, text...)
	if len(s.last) > 2*tailBytes {
		s.last = append(s.last[:0], s.last[len(s.last)-tailBytes:]...)
	}
	s.refill(time.Now())
	if s.left > 0 {
		out.dropped, s.silent, s.full = s.silent, 0, false
	}
	for s.left > 0 && len(text) > 0 {
		n, whole := lineEnd(text, lineBytes-len(s.line))
		s.line = append(s.line, text[:n]...)
		text = text[n:]
		if whole {
			if len(bytes.TrimSpace(s.line)) > 0 {
				out.lines = append(out.lines, s.line)
			}
			s.left-- // an empty line takes work too
			s.line = nil
		}
	}
	out.full = len(text) > 0 && !s.full
	s.full = s.full || out.full
	s.dropped += int64(len(text))
	if s.all != nil {
		s.all.Add(int64(len(text)))
	}
	s.silent += int64(len(text))
	return out
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

func (n news) show() {
	if n.log == nil {
		return
	}
	if n.dropped > 0 {
		n.log.Info("text of a package was dropped", "bytes", n.dropped)
	}
	for _, l := range n.lines {
		n.log.Info("a package says", "text", printable(l))
	}
	if n.full {
		n.log.Info("a package says more than is logged")
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
