package pack

import (
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
)

// Decode reads a package and trusts nothing: lengths, order, names and the absence
// of trailing bytes are checked, each with a *FormatError that says what was
// expected, what was found and at which byte. It does not check the signature;
// Check does. The sections' bytes are those of b, not copies.
func Decode(b []byte) (*Package, error) {
	if len(b) > MaxBytes {
		return nil, tooLong(len(b))
	}
	r := &reader{b: b}
	p := r.pack()
	if n := r.left(); n > 0 {
		r.fail(r.at, "end", "nothing more", strconv.Itoa(n)+" bytes")
	}
	if r.err != nil {
		return nil, r.err
	}
	return p, nil
}

// reader walks over the bytes. After an error nothing is read any more and all
// values are zero, so loops end.
type reader struct {
	b   []byte
	at  int
	err error
}

func (r *reader) fail(at int, field, expected, found string) {
	if r.err == nil {
		r.err = &FormatError{at, field, expected, found}
		r.at = len(r.b)
	}
}

func (r *reader) left() int { return len(r.b) - r.at }

func (r *reader) take(n int, field string) []byte {
	if r.err != nil || n > r.left() {
		r.fail(r.at, field, fmt.Sprintf("%d bytes", n), fmt.Sprintf("%d at the end", r.left()))
		return nil
	}
	b := r.b[r.at : r.at+n : r.at+n]
	r.at += n
	return b
}

// byte is a number in least..most.
func (r *reader) byte(field string, least, most int, expected string) int {
	at := r.at
	b := r.take(1, field)
	if r.err != nil {
		return 0
	}
	if n := int(b[0]); n >= least && n <= most {
		return n
	}
	r.fail(at, field, expected, strconv.Itoa(int(b[0])))
	return 0
}

func (r *reader) count(field string, least, most int) int {
	return r.byte(field, least, most, between(least, most))
}

// text is a length and that many bytes that hold to the rule.
func (r *reader) text(field string, rule rule) string {
	at := r.at
	n := r.byte("length of the "+field, 0, 255, "")
	s := string(r.take(n, field))
	if r.err == nil && !rule.re().MatchString(s) {
		r.fail(at, field, rule.expected, quote(s))
	}
	return s
}

func (r *reader) pack() *Package {
	p := &Package{}
	if m := r.take(len(Magic), "beginning"); r.err == nil && string(m) != Magic {
		r.fail(0, "beginning", fmt.Sprintf("%q, a package of version %d", Magic, Version), strconv.Quote(string(m)))
	}
	p.Name = r.text("name", nameRule)
	for range r.count("libraries", 0, MaxDeps) {
		at, d := r.at, r.text("library", depRule)
		if slices.Contains(p.Deps, d) {
			r.fail(at, "library", depOrder, strconv.Quote(d)+" again")
		}
		p.Deps = append(p.Deps, d)
	}
	for i := range r.count("sections", 1, MaxSections) {
		at, s := r.at, r.section()
		if r.err == nil && i > 0 && Compare(p.Sections[i-1], s) >= 0 {
			r.fail(at, "section", sectionOrder, s.Title()+" after "+p.Sections[i-1].Title())
		}
		p.Sections = append(p.Sections, s)
	}
	if r.byte("signed", 0, 1, "0 or 1") == 1 {
		p.Signer = r.take(ed25519.PublicKeySize, "key of the signer")
		p.Signature = r.take(ed25519.SignatureSize, "signature")
	}
	return p
}

func (r *reader) section() (s Section) {
	s.Arch = r.text("architecture", archRule)
	for i := range r.count("features", 0, MaxFeatures) {
		at, f := r.at, r.text("feature", featureRule)
		if r.err == nil && i > 0 && s.Features[i-1] >= f {
			r.fail(at, "feature", featureOrder, quote(f)+" after "+quote(s.Features[i-1]))
		}
		s.Features = append(s.Features, f)
	}
	s.Form = Form(r.byte("form", 1, int(forms)-1, formRange))
	at := r.at
	n := r.take(4, "length of the section")
	if r.err != nil {
		return s
	}
	length := binary.LittleEndian.Uint32(n)
	if length == 0 || uint64(length) > uint64(r.left()) {
		r.fail(at, "length of the section", between(1, r.left())+" in the bytes that are left", strconv.FormatUint(uint64(length), 10))
		return s
	}
	s.Bytes = r.take(int(length), "section")
	return s
}
