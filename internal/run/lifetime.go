package run

import "github.com/godwit-run/godwit/internal/ir/schedule"

// lifetimes lists for every top-level step the buffers that nothing uses
// after it. What a loop or branch touches lives until its end: the next turn
// may want it.
func lifetimes(s *schedule.Schedule) [][]int {
	last := make([]int, len(s.Buffers))
	for b := range last {
		last[b] = -1
	}
	for i, step := range s.Steps {
		schedule.Uses([]schedule.Step{step}, func(b int, _ schedule.Use) { last[b] = i })
	}
	for _, c := range s.Result {
		last[c.Buffer] = -1
	}
	dies := make([][]int, len(s.Steps))
	for b, i := range last {
		if i >= 0 {
			dies[i] = append(dies[i], b)
		}
	}
	return dies
}
