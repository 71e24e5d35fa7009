package pack

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/godwit-run/godwit/internal/pattern"
)

// Compare orders sections: ascending by architecture, then most features first,
// then the form that is nearest to the processor, then by the features
// themselves. So the first section that fits a host is the one to use.
func Compare(a, b Section) int {
	return cmp.Or(
		cmp.Compare(a.Arch, b.Arch),
		cmp.Compare(len(b.Features), len(a.Features)),
		cmp.Compare(b.Form, a.Form),
		slices.Compare(a.Features, b.Features),
	)
}

// A rule is what a text of the format may be. Both directions hold to it, so
// nothing is written that would not be read.
type rule struct {
	re       func() *regexp.Regexp // compiled when it is first wanted, as most processes never do
	expected string
}

var (
	nameRule    = rule{pattern.Of(`^[A-Za-z_][A-Za-z0-9_]{0,63}$`), "a C identifier of 1 to 64 letters, digits and _"}
	depRule     = rule{pattern.Of(`^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,63}$`), "the name of a library without a path, as libm.so.6, of 1 to 64 bytes"}
	archRule    = rule{pattern.Of(`^[a-z0-9]{1,16}$`), "an architecture as amd64, of 1 to 16 small letters and digits"}
	featureRule = rule{pattern.Of(`^[a-z0-9][a-z0-9._-]{0,31}$`), "a feature as avx2, of 1 to 32 small letters, digits, dots, dashes and _"}
)

const (
	sectionOrder = "sections by architecture, most features first, then object, optimised, bitcode, source, none twice"
	featureOrder = "features in ascending order, none twice"
	depOrder     = "each library once"
)
