package seen

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/engine/llvmir"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// In: what is remembered, and the folder that processes of one user share. Out: the folder with both. It has a file for each first byte of
// an ID, so that a process reads and writes no more than what is near to its own kernels. Whatever is wrong with a file, it
// says nothing; one of another processor, or of what an earlier version made of kernels, says nothing here. It is not made to last: after a power cut it may be gone.

// version changes with what the file means, and with what WebAssembly is made of kernels; native code has a version of its own.
const version = 4

// mostText is more bytes than a file has.
const mostText = 1 << 20

// mostOfFile is what those of one file take together, about, as they are in memory.
const mostOfFile = 16 << 10

type file struct {
	Version   int           `json:"version"`
	Emitter   int           `json:"emitter"` // that native code is of
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

// load takes in what the file of an ID has, once, before anything else is remembered that would be in it.
func (m *Memory) load(id kernel.ID) {
	if m.read[id[0]] {
		return
	}
	m.read[id[0]] = true
	if m.path != "" {
		m.take(m.file(id[0]))
	}
}

// file has the path of what is known of IDs that begin with a byte.
func (m *Memory) file(first byte) string { return filepath.Join(m.path, fmt.Sprintf("%02x", first)) }

// take adds what a file has.
func (m *Memory) take(path string) {
	b, err := regular.Read(path, mostText)
	if err != nil {
		return
	}
	var f file
	if json.Unmarshal(b, &f) != nil || f.Version != version || f.Emitter != llvmir.Version || f.Processor != processor() {
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

// Save brings what is new here to the files, beside what others have brought there meanwhile. It does nothing where there is
// no folder or nothing new.
func (m *Memory) Save() error {
	if m == nil || m.of != nil || m.path == "" {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.news.empty() {
		return nil
	}
	if err := folder(m.path); err != nil {
		return err // what is new stays so
	}
	var errs []error
	for _, first := range m.news.firsts() {
		if err := m.bring(first); err != nil {
			errs = append(errs, err) // the others are none the worse
			continue
		}
		m.news.leave(first)
	}
	return errors.Join(errs...)
}

// bring adds what is new of IDs that begin with a byte to what their file has.
func (m *Memory) bring(first byte) error {
	path := m.file(first)
	f, err := claim(path + next)
	if err != nil {
		return err
	}
	all := empty(mostOfFile)
	all.take(path)
	all.join(m.news, first)
	return all.write(f, path)
}

// next is what the name of a file ends with that is to take the place of another.
const next = ".new"

const (
	claims = 20          // how often a file is tried to be claimed, a millisecond apart
	dead   = time.Minute // who has not written a file in that time does not
)

// claim makes a file that nobody else has. What a process left that ended before it could take it away is taken away.
func claim(path string) (*os.File, error) {
	for i := 0; ; i++ {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW, 0o600)
		if err == nil || !errors.Is(err, fs.ErrExist) || i+1 == claims {
			return f, err
		}
		if st, err := os.Lstat(path); err == nil && time.Since(st.ModTime()).Abs() > dead {
			_ = os.Remove(path)
			continue
		}
		time.Sleep(time.Millisecond)
	}
}

// folder makes one, also where an earlier version kept all in a file of that name, which several processes may find at once.
func folder(path string) error {
	if st, err := os.Lstat(path); err == nil && st.Mode().IsRegular() {
		err := syscall.Unlink(path) // never a folder that has come instead
		if st, again := os.Lstat(path); again == nil && st.Mode().IsRegular() {
			return &os.PathError{Op: "remove", Path: path, Err: err}
		}
	}
	return os.MkdirAll(path, 0o700)
}

// firsts are the first bytes of all IDs.
func (m *Memory) firsts() []byte {
	var any [256]bool
	for k := range m.by {
		any[k.ID[0]] = true
	}
	for id := range m.parts {
		any[id[0]] = true
	}
	var list []byte
	for b, ok := range any {
		if ok {
			list = append(list, byte(b))
		}
	}
	return list
}

// join adds what another has of IDs that begin with a byte.
func (m *Memory) join(o *Memory, first byte) {
	for at := o.recent.Back(); at != nil; at = at.Prev() {
		if e := at.Value.(*entry); e.key.ID[0] == first {
			for _, p := range e.points {
				m.add(e.key, p)
			}
		}
	}
	for id, parts := range o.parts {
		if id[0] == first {
			for name, part := range parts {
				m.found(id, name, part)
			}
		}
	}
}

// leave drops what there is of IDs that begin with a byte.
func (m *Memory) leave(first byte) {
	for k, at := range m.by {
		if k.ID[0] == first {
			m.drop(at)
		}
	}
	maps.DeleteFunc(m.parts, func(id kernel.ID, _ map[string]float64) bool { return id[0] == first })
}

// write has what is remembered take the place of a file, by way of another, which it closes.
func (m *Memory) write(t *os.File, path string) error {
	f := file{Version: version, Emitter: llvmir.Version, Processor: processor()}
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
	if err == nil {
		_, err = t.Write(b)
	}
	own, serr := t.Stat()
	if cerr := t.Close(); err == nil {
		err = errors.Join(serr, cerr)
	}
	if st, lerr := os.Lstat(t.Name()); lerr != nil || serr != nil || !os.SameFile(st, own) {
		return errors.Join(err, fmt.Errorf("%s was taken away by another process", t.Name()))
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
