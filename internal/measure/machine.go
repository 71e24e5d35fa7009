package measure

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Machine names what a benchmark ran on.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory int64  `json:"memory"` // bytes, 0 if unknown
	Go     string `json:"go"`
	OS     string `json:"os"`
}

func (m Machine) String() string {
	memory := ""
	if m.Memory > 0 {
		memory = fmt.Sprintf(", %d GiB", (m.Memory+1<<29)>>30)
	}
	return fmt.Sprintf("%s, %d cores%s, %s, %s", m.CPU, m.Cores, memory, m.OS, m.Go)
}

// ThisMachine is the one that the process runs on.
func ThisMachine() Machine {
	m := Machine{CPU: runtime.GOARCH, Cores: runtime.NumCPU(), Go: runtime.Version(), OS: runtime.GOOS + "/" + runtime.GOARCH}
	if v := procField("/proc/cpuinfo", "model name"); v != "" {
		m.CPU = v
	}
	if kb, ok := strings.CutSuffix(procField("/proc/meminfo", "MemTotal"), " kB"); ok {
		n, _ := strconv.ParseInt(strings.TrimSpace(kb), 10, 64)
		m.Memory = n << 10
	}
	return m
}

// procField is the first value of a name in a file of `name : value` lines.
func procField(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if k, v, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return ""
}
