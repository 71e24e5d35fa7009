package seen

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: what is remembered, and the file that processes of one user share. Out: the file with both. Whatever is wrong with a file, it
// says nothing; one of another processor says nothing here. It is not made to last: after a power cut it may be gone.

// version changes with what the file means.
const version = 2

// mostText is more bytes than a file has.
const mostText = 8 << 20

type file struct {
	Version   int           `json:"version"`
	Processor string        `json:"processor"`
	Kernels   []fileKernel  `json:"kernels"` // the least recently used first
	Programs  []fileProgram `json:"programs"`
}

type fileKernel struct {
	ID      string      `json:"id"`
	Engine  string      `json:"engine"`
	Threads int         `json:"threads"`
	Points  []filePoint `json:"points"`
}

type filePoint struct {
	Sizes   []int64   `json:"sizes"`
	Scalars []int64   `json:"scalars,omitempty"`
	Known   []bool    `json:"known,omitempty"`
	Took    []float64 `json:"took_ns"`
}

type fileProgram struct {
	ID    string             `json:"id"`
	Parts map[string]float64 `json:"parts"`
}

// load takes in what the file has, once, before anything else is remembered.
func (m *Memory) load() {
	if m.read {
		return
	}
	m.read = true
	if m.path != "" {
		m.take(m.path)
	}
}

// take adds what a file has.
func (m *Memory) take(path string) {
	b, err := regular.Read(path, mostText)
	if err != nil {
		return
	}
	var f file
	if json.Unmarshal(b, &f) != nil || f.Version != version || f.Processor != processor() {
		return
	}
	for _, k := range f.Kernels {
		id, ok := parseID(k.ID)
		if !ok || k.Threads < 1 || !slices.Contains(engines, k.Engine) {
			continue
		}
		for _, p := range k.Points {
			if p.valid() {
				m.add(Key{id, k.Engine, k.Threads}, Point(p))
			}
		}
	}
	for _, p := range f.Programs {
		if id, ok := parseID(p.ID); ok {
			for name, part := range p.Parts {
				if part >= 0 && part <= 1 {
					m.found(id, name, part)
				}
			}
		}
	}
}

// few is more than any kernel has sizes or scalars.
const few = 1 << 12

func (p *filePoint) valid() bool {
	if len(p.Sizes) > few || len(p.Scalars) > few || len(p.Known) != len(p.Scalars) || len(p.Took) < 1 || len(p.Took) > mostTimes {
		return false
	}
	for _, t := range p.Took {
		if !isTime(t) {
			return false
		}
	}
	for _, n := range p.Sizes {
		if n < 0 {
			return false
		}
	}
	return true
}

func parseID(text string) (id kernel.ID, ok bool) {
	b, err := hex.DecodeString(text)
	return id, err == nil && copy(id[:], b) == len(id) && len(b) == len(id)
}

// Save brings what is new here to the file, beside what others have brought there meanwhile. It does nothing where there is
// no file or nothing new.
func (m *Memory) Save() error {
	if m == nil || m.of != nil || m.path == "" {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.news.empty() {
		return nil
	}
	all := empty()
	all.take(m.path)
	for at := m.news.recent.Back(); at != nil; at = at.Prev() {
		e := at.Value.(*entry)
		for _, p := range e.points {
			all.add(e.key, p)
		}
	}
	for id, parts := range m.news.parts {
		for name, part := range parts {
			all.found(id, name, part)
		}
	}
	if err := all.write(m.path); err != nil {
		return err // what is new stays so
	}
	m.news = empty()
	return nil
}

func (m *Memory) write(path string) error {
	f := file{Version: version, Processor: processor()}
	for at := m.recent.Back(); at != nil; at = at.Prev() {
		e := at.Value.(*entry)
		k := fileKernel{ID: e.key.ID.String(), Engine: e.key.Engine, Threads: e.key.Threads}
		for _, p := range e.points {
			k.Points = append(k.Points, filePoint(p))
		}
		f.Kernels = append(f.Kernels, k)
	}
	for id, parts := range m.parts {
		f.Programs = append(f.Programs, fileProgram{id.String(), parts})
	}
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	t, err := os.CreateTemp(filepath.Dir(path), ".seen-*")
	if err != nil {
		return err
	}
	_, err = t.Write(b)
	if cerr := t.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(t.Name(), path)
	}
	if err != nil {
		_ = os.Remove(t.Name())
	}
	return err
}

// processor names the processor and how many there are.
var processor = sync.OnceValue(func() string {
	b := make([]byte, 4096)
	n := 0
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		n, _ = f.Read(b)
		_ = f.Close()
	}
	var told []string
	for line := range strings.Lines(string(b[:n])) {
		for _, name := range []string{"model name", "flags", "Features", "CPU part", "CPU revision", "isa", "uarch"} {
			if strings.HasPrefix(line, name) {
				told = append(told, strings.TrimSpace(line))
			}
		}
		if strings.TrimSpace(line) == "" { // the next processor
			break
		}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %q", runtime.GOARCH, runtime.NumCPU(), told))
	return hex.EncodeToString(sum[:8])
})
