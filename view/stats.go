package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/godwit-run/godwit"
)

// Stats lists what a call did: the plan's steps with their times, and the
// whole.
func Stats(s *godwit.Stats) string {
	var b strings.Builder
	for _, st := range s.Plan.Steps {
		fmt.Fprintf(&b, "  %-44s kernel %s %10s\n", st.Label, st.Kernel, seconds(st.Seconds))
	}
	code := 0
	for _, k := range s.Kernels {
		code += k.Bytes
	}
	fmt.Fprintf(&b, "  %s in all, %s, %d thread(s), %s read, %d kernels of %s\n",
		seconds(s.Seconds), s.Engine, s.Threads, Bytes(s.BytesRead), len(s.Kernels), Bytes(int64(code)))
	return b.String()
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Microsecond).String()
}

// Bytes writes a number of bytes for people.
func Bytes(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.2f GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.2f MB", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%d bytes", n)
}
