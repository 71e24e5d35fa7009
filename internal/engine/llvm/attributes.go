//go:build !static && linux && (amd64 || arm64)

package llvm

import (
	"strings"
	"unsafe"
)

// attribute sets what a function of the module says about its processor.
//
// Front ends write the processor that they compiled for on each function, and it
// counts more than the machine's. Code is generated where it runs, so the machine's
// takes its place. Features that a function asks for beyond are kept: clang's
// attribute target("…") guards such functions with a check at run time.
func (m *Machine) attribute(context, function ref) {
	l := m.l
	if own := l.attributeText(function, "target-features"); own != "" {
		l.setAttribute(context, function, "target-features", join(m.target.Features, own))
	}
	for _, key := range []string{"target-cpu", "tune-cpu"} {
		l.c.RemoveStringAttributeAtIndex(function, attributeOfWhole, key, uint32(len(key)))
	}
	// Where LLVM thinks that 512-bit vectors slow the clock down, it would split
	// those that the text spells out.
	if m.target.Arch == "amd64" && l.attributeText(function, "prefer-vector-width") == "" {
		l.setAttribute(context, function, "prefer-vector-width", "512")
	}
	if n := uint64(m.target.VectorBytes / 16); n > 0 && m.target.Arch == "arm64" {
		const name = "vscale_range"
		kind := l.c.GetEnumAttributeKindForName(name, uintptr(len(name)))
		l.c.AddAttributeAtIndex(function, attributeOfWhole, l.c.CreateEnumAttribute(context, kind, n<<32|n))
	}
}

// join appends the features that a function has beyond the machine's. Calls of
// libgcc's atomics, which nothing here could link, are left out.
func join(machine, own string) string {
	all := []string{machine}
	for _, f := range strings.Split(own, ",") {
		if strings.HasPrefix(f, "+") && f != "+outline-atomics" {
			all = append(all, f)
		}
	}
	return strings.Trim(strings.Join(all, ","), ",")
}

func (l *Library) setAttribute(context, function ref, key, value string) {
	a := l.c.CreateStringAttribute(context, key, uint32(len(key)), value, uint32(len(value)))
	l.c.AddAttributeAtIndex(function, attributeOfWhole, a)
}

// attributeText is the value of a function's attribute, "" without.
func (l *Library) attributeText(function ref, key string) string {
	a := l.c.GetStringAttributeAtIndex(function, attributeOfWhole, key, uint32(len(key)))
	if a == 0 {
		return ""
	}
	var n uint32
	return string(unsafe.Slice(l.c.GetStringAttributeValue(a, &n), n))
}
