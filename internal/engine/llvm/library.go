//go:build !static && linux && (amd64 || arm64)

package llvm

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/ebitengine/purego"
)

const built = true

// Library is a loaded libLLVM. There is at most one in a process, and it stays.
type Library struct {
	Path    string // of the file
	Version string // "19.1.7"
	handle  uintptr
	c       functions
	report  uintptr // C's address of the handler for diagnostics

	// One thread is in LLVM at a time: contexts are independent, but a Machine is
	// not safe for concurrent use, and said belongs to the module being compiled.
	mu    sync.Mutex
	said  []string
	ready map[string]bool // initialised targets
}

// names are those of the one library under which distributions install it.
var names = []string{"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM.so.19", "libLLVM-19.so"}

// Load finds libLLVM with the first call. The error wraps ErrMissing.
var Load = sync.OnceValues(load)

func load() (*Library, error) {
	if err := Off(); err != nil {
		return nil, err
	}
	try := names
	if file := os.Getenv(Env); file != "" {
		try = []string{file}
	}
	var refused []error
	for _, name := range try {
		l, err := open(name)
		if err == nil {
			return l, nil
		}
		refused = append(refused, err)
	}
	return nil, fmt.Errorf("%w: install it (Debian: libllvm19), or name its file in %s: %w", ErrMissing, Env, errors.Join(refused...))
}

// open takes the local names only, so that another LLVM in the process, for example
// below a graphics driver, is left alone.
func open(name string) (*Library, error) {
	handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	l := &Library{handle: handle, ready: map[string]bool{}}
	if err := l.bind(); err != nil {
		purego.Dlclose(handle)
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	l.report = purego.NewCallback(l.diagnostic)
	return l, nil
}

// bind looks up every function of the table, and refuses another version before
// anything else is called.
func (l *Library) bind() error {
	version, err := purego.Dlsym(l.handle, "LLVMGetVersion")
	if err != nil {
		return err
	}
	var major, minor, patch uint32
	purego.RegisterFunc(&l.c.GetVersion, version)
	if l.c.GetVersion(&major, &minor, &patch); major != Major {
		return fmt.Errorf("it is LLVM %d.%d.%d; LLVM %d is needed", major, minor, patch, Major)
	}
	l.Version = fmt.Sprintf("%d.%d.%d", major, minor, patch)
	table := reflect.ValueOf(&l.c).Elem()
	for i := range table.NumField() {
		at, err := purego.Dlsym(l.handle, "LLVM"+table.Type().Field(i).Name)
		if err != nil {
			return err
		}
		purego.RegisterFunc(table.Field(i).Addr().Interface(), at)
	}
	l.Path, err = fileAt(version)
	return err
}

// fileAt is the file that is mapped at an address.
func fileAt(address uintptr) (string, error) {
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return "", err
	}
	defer maps.Close()
	for s := bufio.NewScanner(maps); s.Scan(); {
		var lo, hi uintptr
		if _, err := fmt.Sscanf(s.Text(), "%x-%x", &lo, &hi); err != nil || address < lo || hi <= address {
			continue
		}
		if slash := strings.IndexByte(s.Text(), '/'); slash >= 0 {
			return filepath.Clean(s.Text()[slash:]), nil
		}
	}
	return "", fmt.Errorf("no file is mapped at %#x", address)
}

// Arches are the architectures that the library can emit, as GOARCH.
func (l *Library) Arches() []string {
	var has []string
	for _, name := range slices.Sorted(maps.Keys(arches)) {
		if at, err := purego.Dlsym(l.handle, "LLVMInitialize"+arches[name].prefix+"TargetMC"); err == nil && at != 0 {
			has = append(has, name)
		}
	}
	return has
}

// initialise makes an architecture known, without its assembler: inline assembly
// could read files (.incbin), and no kernel needs it.
func (l *Library) initialise(name string) error {
	if l.ready[name] {
		return nil
	}
	for _, part := range []string{"TargetInfo", "Target", "TargetMC", "AsmPrinter"} {
		at, err := purego.Dlsym(l.handle, "LLVMInitialize"+arches[name].prefix+part)
		if err != nil {
			return fmt.Errorf("%s cannot emit code for %s: %w", l.Path, name, err)
		}
		purego.SyscallN(at)
	}
	l.ready[name] = true
	return nil
}
