package worker

import (
	_ "embed"
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

// describeSyscall is the name of a system call, or its number.
func describeSyscall(arch string, nr uint32) string {
	for name, n := range syscalls()[arch] {
		if n != nr {
			continue
		}
		if name == "mmap" || name == "mprotect" {
			return name + " of executable memory"
		}
		return name
	}
	return strconv.FormatUint(uint64(nr), 10)
}
