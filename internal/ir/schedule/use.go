package schedule

// Use is how a step uses a buffer.
type Use struct {
	Launch *Launch // nil when the host reads or swaps the buffer
	Region int     // of the launch's kernel
	Looped bool    // inside a loop, so probably more than once
	Swap   bool
}

// Uses calls f for every use of a buffer in steps and the steps inside them.
// That pruning speaks of a buffer is none.
func Uses(steps []Step, f func(buffer int, u Use)) {
	walk(steps, false, func(s Step, looped bool) {
		switch s := s.(type) {
		case *Launch:
			launchUses(s, looped, f)
		case *SetSize:
			f(s.Buffer, Use{Looped: looped})
		case *Branch:
			f(s.Cond, Use{Looped: looped})
		case *Loop:
			loopUses(s, looped, f)
		}
	})
}

func launchUses(s *Launch, looped bool, f func(int, Use)) {
	for i, b := range s.Regions {
		if b >= 0 {
			f(b, Use{Launch: s, Region: i, Looped: looped})
		}
	}
	for i := range s.Scalars {
		scalarUse(&s.Scalars[i], looped, f)
	}
}

func loopUses(s *Loop, looped bool, f func(int, Use)) {
	scalarUse(s.Lo.Scalar, looped, f)
	scalarUse(s.Hi.Scalar, looped, f)
	if s.Stop >= 0 {
		f(s.Stop, Use{Looped: true})
	}
	for _, pair := range s.Swap {
		f(pair[0], Use{Looped: true, Swap: true})
		f(pair[1], Use{Looped: true, Swap: true})
	}
}

func scalarUse(a *ScalarArg, looped bool, f func(int, Use)) {
	if a != nil && a.From == FromBuffer {
		f(a.Buffer, Use{Looped: looped})
	}
}
