package worker

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

//go:embed syscalls.txt
var syscallText string

// syscalls gives the numbers of system calls by name, for each architecture.
var syscalls = sync.OnceValue(func() map[string]map[string]uint32 {
	all := map[string]map[string]uint32{"amd64": {}, "arm64": {}}
	for line := range strings.Lines(syscallText) {
		f := strings.Fields(line)
		if len(f) != 3 || f[0] == "#" {
			continue
		}
		for i, arch := range []string{"amd64", "arm64"} {
			if nr, err := strconv.ParseUint(f[i+1], 10, 32); err == nil {
				all[arch][f[0]] = uint32(nr)
			}
		}
	}
	return all
})

// nameOf is the name of a system call, or its number.
func nameOf(arch string, nr uint32) string {
	for name, n := range syscalls()[arch] {
		if n == nr {
			return name
		}
	}
	return strconv.FormatUint(uint64(nr), 10)
}

const alone = "a package has one thread and one process, and starts no others"

// forbids says that a system call was refused, and what its maker should know.
func forbids(name string, arg uint64) string {
	switch name {
	case "exit": // of one thread
		return fmt.Sprintf("its code called exit(%d) of its thread", int32(arg))
	case "mmap", "mprotect":
		name += " of such memory (executable, or not counted as the process's own)"
	case "clone", "clone3", "fork", "vfork":
		return "system call " + name + " is forbidden: " + alone
	}
	return "system call " + name + " is forbidden"
}
