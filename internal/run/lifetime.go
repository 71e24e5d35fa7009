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
		eachUse([]schedule.Step{step}, false, func(b int, _ use) { last[b] = i })
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

// use is how a step uses a buffer.
type use struct {
	launch *schedule.Launch // nil when the host reads or swaps the buffer
	region int              // of the launch's kernel
	looped bool             // inside a loop, so probably more than once
	swap   bool
}

// eachUse calls f for every use of a buffer in steps and the steps inside
// them.
func eachUse(steps []schedule.Step, looped bool, f func(buffer int, u use)) {
	for _, s := range steps {
		switch s := s.(type) {
		case *schedule.Launch:
			launchUses(s, looped, f)
		case *schedule.SetSize:
			f(s.Buffer, use{looped: looped})
		case *schedule.Branch:
			f(s.Cond, use{looped: looped})
			eachUse(s.Then, looped, f)
			eachUse(s.Else, looped, f)
		case *schedule.Loop:
			loopUses(s, looped, f)
			eachUse(s.Body, true, f)
		}
	}
}

func launchUses(s *schedule.Launch, looped bool, f func(int, use)) {
	for i, b := range s.Regions {
		if b >= 0 {
			f(b, use{launch: s, region: i, looped: looped})
		}
	}
	for i := range s.Scalars {
		scalarUse(&s.Scalars[i], looped, f)
	}
}

func loopUses(s *schedule.Loop, looped bool, f func(int, use)) {
	scalarUse(s.Lo.Scalar, looped, f)
	scalarUse(s.Hi.Scalar, looped, f)
	if s.Stop >= 0 {
		f(s.Stop, use{looped: true})
	}
	for _, pair := range s.Swap {
		f(pair[0], use{looped: true, swap: true})
		f(pair[1], use{looped: true, swap: true})
	}
}

func scalarUse(a *schedule.ScalarArg, looped bool, f func(int, use)) {
	if a != nil && a.From == schedule.FromBuffer {
		f(a.Buffer, use{looped: looped})
	}
}
