package run

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/num"
	"github.com/godwit-run/godwit/value"
)

func TestZZBig(t *testing.T) {
	path := os.Getenv("GODWIT_BIG")
	if path == "" {
		t.Skip()
	}
	src := open(t, path)
	in := columns(int(src.Rows()), Column(src, 0))
	p := sumPlan(num.F32, 16*leaf)
	start := time.Now()
	res := mustRun(t, p, in, Options{})
	fmt.Println(time.Since(start), value.Text(num.F32, res.Columns[0].At(0)), res.Stats)
	b, _ := os.ReadFile("/proc/self/status")
	for _, l := range strings.Split(string(b), "\n") {
		if strings.HasPrefix(l, "VmHWM") || strings.HasPrefix(l, "RssFile") || strings.HasPrefix(l, "RssAnon") {
			fmt.Println(l)
		}
	}
}
