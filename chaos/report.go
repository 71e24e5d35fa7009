package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Report is what a run has seen. Findings must be none.
type Report struct {
	Seed     uint64
	Findings []string

	mu     sync.Mutex
	kinds  map[string]int // findings by kind
	faults map[string]int
	calls  map[string]map[verdict]int
	most   map[string]time.Duration
	times  map[string]time.Duration // of other things, the longest
	notes  []string
}

func newReport(seed uint64) *Report {
	return &Report{Seed: seed, kinds: map[string]int{}, faults: map[string]int{}, calls: map[string]map[verdict]int{}, most: map[string]time.Duration{}, times: map[string]time.Duration{}}
}

// maxFindings of one kind are kept in words.
const maxFindings = 20

func (r *Report) find(kind, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kinds[kind]++; r.kinds[kind] <= maxFindings {
		r.Findings = append(r.Findings, kind+": "+fmt.Sprintf(format, args...))
	}
}

func (r *Report) fault(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults[name]++
}

func (r *Report) called(name string, v verdict, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls[name] == nil {
		r.calls[name] = map[verdict]int{}
	}
	r.calls[name][v]++
	r.most[name] = max(r.most[name], took)
}

// longest notes how long something took.
func (r *Report) longest(what string, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times[what] = max(r.times[what], took)
}

func (r *Report) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// String is the report as tables.
func (r *Report) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "chaos, seed %d\n\nfault           times\n", r.Seed)
	for _, n := range slices.Sorted(maps.Keys(r.faults)) {
		fmt.Fprintf(&b, "%-15s %5d\n", n, r.faults[n])
	}
	fmt.Fprintf(&b, "\n%-10s", "call")
	for _, v := range verdicts {
		fmt.Fprintf(&b, " %14s", v)
	}
	fmt.Fprintf(&b, " %9s\n", "longest")
	for _, n := range slices.Sorted(maps.Keys(r.calls)) {
		fmt.Fprintf(&b, "%-10s", n)
		for _, v := range verdicts {
			fmt.Fprintf(&b, " %14d", r.calls[n][v])
		}
		fmt.Fprintf(&b, " %8.1fs\n", r.most[n].Seconds())
	}
	for _, n := range slices.Sorted(maps.Keys(r.times)) {
		fmt.Fprintf(&b, "longest %s: %.1f s\n", n, r.times[n].Seconds())
	}
	for _, n := range r.notes {
		fmt.Fprintf(&b, "%s\n", n)
	}
	fmt.Fprintf(&b, "%d kinds of findings %v\n", len(r.kinds), r.kinds)
	return b.String()
}

// verdict is what became of a call.
type verdict string

const (
	right     verdict = "right"
	wrong     verdict = "WRONG"
	late      verdict = "LATE"
	hung      verdict = "HUNG"
	noReplica verdict = "no replica"  // it failed, and a shard had no good live replica
	noQuorum  verdict = "no majority" // it failed, and the records had no majority, which reads do not need
	failed    verdict = "FAILED"      // it failed for nothing
	killed    verdict = "client killed"
)

// findings are the verdicts that are something wrong.
var findings = []verdict{wrong, late, hung, failed, noQuorum}

var verdicts = []verdict{right, noReplica, noQuorum, killed, failed, wrong, late, hung}
