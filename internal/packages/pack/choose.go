package pack

import (
	"fmt"
	"slices"
	"strings"
)

// Host is what a section must fit.
type Host struct {
	Arch     string
	Features []string // all that the processor has, LLVM's names
	Source   bool     // clang is there
	Bitcode  bool     // libLLVM is there
}

// Choose gives the section to use on a host: of those for its architecture whose
// features it has all of, and whose form it can use, the one with most features;
// among equals Object before Optimised before Bitcode before Source. The error
// wraps ErrNoSection and says which sections there are and why each does not fit.
func (p *Package) Choose(h Host) (*Section, error) {
	sections := slices.SortedStableFunc(slices.Values(p.Sections), Compare)
	var why []string
	for i := range sections {
		s := &sections[i]
		reason := s.misfit(h)
		if reason == "" {
			return s, nil
		}
		why = append(why, s.Title()+": "+reason)
	}
	if len(why) == 0 {
		why = []string{"it has none"}
	}
	return nil, fmt.Errorf("package %s: %w this node (%s): %s; build it again with godwit cc --targets", p.Name, ErrNoSection, h.Arch, strings.Join(why, "; "))
}

// misfit says why a section cannot be used on a host; "" if it can.
func (s *Section) misfit(h Host) string {
	var lacks []string
	for _, f := range s.Features {
		if !slices.Contains(h.Features, f) {
			lacks = append(lacks, f)
		}
	}
	switch {
	case s.Arch != h.Arch:
		return "for another architecture"
	case len(lacks) > 0:
		return "the processor lacks " + strings.Join(lacks, ", ")
	case s.Form == Source && !h.Source:
		return "clang is not installed there (Debian: clang-19)"
	case (s.Form == Bitcode || s.Form == Optimised) && !h.Bitcode:
		return "libLLVM is not installed there (Debian: libllvm19)"
	case s.Form == BadForm || s.Form >= forms:
		return "of a form that is not known"
	}
	return ""
}
