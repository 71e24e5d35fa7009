package run

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/schedule"
)

// residency is how an input gets to the kernels that read it.
type residency uint8

const (
	undecided residency = iota
	whole               // it is present from its first use to its last
	windowed            // every launch reads it piece by piece
)

const (
	// smallInput is not worth the trouble of windows, in bytes.
	smallInput = 256 << 10
	// rawPasses is from how many passes on reading a file again costs more
	// than the page faults of mapping it once: 26 GB/s against 18, and 40
	// for what is mapped already.
	rawPasses = 3
	// decodedPasses likewise: decoding is far more expensive than memory.
	decodedPasses = 2
	// loopPasses stands for the unknown number of iterations of a loop.
	loopPasses = 16
)

// decide chooses for an input, once. Compiling the kernels that use it tells
// whether they access it in order.
func (r *runner) decide(in *input) (residency, error) {
	if in.plan != undecided {
		return in.plan, nil
	}
	streams, err := r.streams(in)
	if err != nil {
		return undecided, err
	}
	in.plan = whole
	if streams && r.worthWindows(in) {
		in.plan = windowed
		return windowed, nil
	}
	r.committed += in.size()
	return whole, nil
}

// streams reports that every use needs the input only piece by piece.
func (r *runner) streams(in *input) (bool, error) {
	if in.b.Source == nil || in.moved {
		return false, nil
	}
	for _, u := range in.uses {
		if u.Launch == nil {
			return false, nil
		}
		c, err := r.compile(u.Launch.Kernel)
		if err != nil {
			return false, err
		}
		if u.Launch.Kernel.Regions[u.Region].Access != kernel.Read || !c.Streams(u.Region) {
			return false, nil
		}
	}
	return true, nil
}

func (r *runner) worthWindows(in *input) bool {
	switch {
	case r.inside(in):
		return false
	case r.opt.WindowRows > 0:
		return true
	case in.size() <= smallInput:
		return false
	case r.committed+in.size() > r.opt.Resident/4*3:
		return true
	}
	most := decodedPasses
	if in.raw != nil {
		most = rawPasses
	}
	return passes(in.uses) < most
}

// passes is how often an input is gone through, about.
func passes(uses []schedule.Use) (n int) {
	for _, u := range uses {
		n++
		if u.Looped {
			n += loopPasses
		}
	}
	return n
}
