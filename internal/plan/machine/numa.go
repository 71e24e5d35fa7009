package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// In: what the system says of its memory. Out: the parts of it that have no processor beside them, as memory expanders show themselves: far memory
// of this machine. Godwit lists them; the system places pages there.

// Apart is such a part.
type Apart struct {
	Node  int   `json:"node"`  // its number
	Bytes int64 `json:"bytes"` // that it has
}

// MemoryApart lists them by number, as root says, which is "/sys" but in tests.
func MemoryApart(root string) (list []Apart) {
	dirs, _ := filepath.Glob(filepath.Join(root, "devices/system/node/node[0-9]*")) // the pattern is well formed
	for _, dir := range dirs {
		n, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(dir), "node"))
		if err != nil {
			continue
		}
		processors, err := os.ReadFile(filepath.Join(dir, "cpulist"))
		if err != nil || strings.TrimSpace(string(processors)) != "" {
			continue
		}
		if bytes := total(filepath.Join(dir, "meminfo")); bytes > 0 {
			list = append(list, Apart{n, bytes})
		}
	}
	slices.SortFunc(list, func(a, b Apart) int { return a.Node - b.Node })
	return list
}

// total reads the line `Node 1 MemTotal: 12345 kB`; 0 if there is none.
func total(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		var node, kilobytes int64
		if n, _ := fmt.Sscanf(line, "Node %d MemTotal: %d kB", &node, &kilobytes); n == 2 && kilobytes > 0 && kilobytes < 1<<50 {
			return kilobytes << 10
		}
	}
	return 0
}
