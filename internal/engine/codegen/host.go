package codegen

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/engine/llvm"
	"github.com/godwit-run/godwit/internal/engine/llvmir"
)

// record is what the child said of itself, kept among the objects so that the next
// process finds objects without a child. It holds while the library's file is the
// same.
type record struct {
	Info  Info
	Size  int64
	Mtime time.Time
}

// recordKey changes with the processor and with the choice of the library.
func recordKey() (key, error) {
	cpu, err := processor()
	if err != nil {
		return key{}, err
	}
	return sha256.Sum256(fmt.Appendf(nil, "host %d %s %d %q %q", recipe, runtime.GOARCH, llvm.ScalableBytes(), os.Getenv(llvm.Env), cpu)), nil
}

// told are the lines of /proc/cpuinfo that say which processor it is; others change
// from one moment to the next.
var told = []string{
	"vendor_id", "cpu family", "model", "model name", "stepping", "flags", // amd64
	"Features", "CPU implementer", "CPU architecture", "CPU variant", "CPU part", "CPU revision", // arm64
}

// processor describes the first processor. Reading on costs milliseconds on
// machines with many.
func processor() (string, error) {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "", err
	}
	defer f.Close()
	b := make([]byte, 4096)
	n, err := f.Read(b)
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(b[:n]), "\n\n")
	var lines []string
	for line := range strings.Lines(first) {
		name, value, _ := strings.Cut(line, ":")
		if slices.Contains(told, strings.TrimSpace(name)) {
			lines = append(lines, strings.TrimSpace(name)+"="+strings.TrimSpace(value))
		}
	}
	return strings.Join(lines, "\n"), nil
}

// remember keeps what a child said.
func (s *Service) remember(i *Info) {
	file, err := os.Stat(i.Path)
	if err != nil {
		return
	}
	k, err := recordKey()
	if err != nil {
		return
	}
	if b, err := json.Marshal(record{*i, file.Size(), file.ModTime()}); err == nil {
		s.disk.put(k, b)
	}
}

// recall is what a child said in this process or an earlier one.
func (s *Service) recall() (*Info, bool) {
	s.mu.Lock()
	known := s.info
	s.mu.Unlock()
	if known != nil {
		return known, true
	}
	if llvm.Off() != nil {
		return nil, false
	}
	k, err := recordKey()
	if err != nil {
		return nil, false
	}
	b, ok := s.disk.get(k)
	if !ok {
		return nil, false
	}
	var r record
	if json.Unmarshal(b, &r) != nil {
		return nil, false
	}
	file, err := os.Stat(r.Info.Path)
	if err != nil || file.Size() != r.Size || !file.ModTime().Equal(r.Mtime) {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.info == nil {
		s.info = &r.Info
	}
	return s.info, true
}

// build tells apart programs that make different objects of the same kernel, or of which one passes arguments in
// another way than the objects of the other take them.
func build() string { return fmt.Sprintf("recipe %d, emitter %d", recipe, llvmir.Version) }

// keyOf is the key of a job's result with the compiler that i describes.
func keyOf(j *Job, i *Info) key {
	t := j.Target
	emitter := 0
	if j.Form == Kernel {
		emitter = llvmir.Version
	}
	source := sha256.Sum256(j.Source)
	return sha256.Sum256(fmt.Appendf(nil, "object %d %d %q %d %t %t %q %q %q %d %x", recipe, emitter, i.Version,
		j.Form, j.Optimise, j.Assembly, t.Arch, t.CPU, t.Features, t.VectorBytes, source))
}
