package pack

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
)

// Encode gives the bytes of a package. A package has one encoding. What Decode
// would refuse is an error, a *FormatError.
func Encode(p *Package) ([]byte, error) {
	b, err := p.body()
	if err != nil {
		return nil, err
	}
	w := writer{b: b}
	w.signature(p)
	w.limit()
	return w.b, w.err
}

// ID is the content hash.
func (p *Package) ID() (ID, error) {
	b, err := p.body()
	return sha256.Sum256(b), err
}

// body is the package without its signature: what the ID is the hash of.
func (p *Package) body() ([]byte, error) {
	size := 256
	for i := range p.Sections {
		size += 64 + len(p.Sections[i].Bytes)
	}
	w := writer{b: make([]byte, 0, min(size, MaxBytes))}
	w.b = append(w.b, Magic...)
	w.text("name", p.Name, nameRule)
	w.count("libraries", len(p.Deps), 0, MaxDeps)
	for i, d := range p.Deps {
		w.text("library", d, depRule)
		if slices.Contains(p.Deps[:i], d) {
			w.fail("library", depOrder, strconv.Quote(d)+" again")
		}
	}
	w.count("sections", len(p.Sections), 1, MaxSections)
	for i, s := range p.Sections {
		if i > 0 && Compare(p.Sections[i-1], s) >= 0 {
			w.fail("section", sectionOrder, s.Title()+" after "+p.Sections[i-1].Title())
		}
		w.section(s)
	}
	w.limit()
	return w.b, w.err
}

// writer is the reader's counterpart. After an error nothing is written any more.
type writer struct {
	b   []byte
	err error
}

func (w *writer) fail(field, expected, found string) {
	if w.err == nil {
		w.err = &FormatError{len(w.b), field, expected, found}
	}
}

func (w *writer) append(b ...byte) {
	if w.err == nil {
		w.b = append(w.b, b...)
	}
}

func (w *writer) text(field, s string, r rule) {
	if !r.re().MatchString(s) {
		w.fail(field, r.expected, quote(s))
		return
	}
	w.append(byte(len(s)))
	w.append([]byte(s)...)
}

func (w *writer) count(field string, n, least, most int) {
	if n < least || n > most {
		w.fail(field, between(least, most), strconv.Itoa(n))
	}
	w.append(byte(n))
}

func (w *writer) section(s Section) {
	w.text("architecture", s.Arch, archRule)
	w.count("features", len(s.Features), 0, MaxFeatures)
	for i, f := range s.Features {
		if i > 0 && s.Features[i-1] >= f {
			w.fail("feature", featureOrder, quote(f)+" after "+quote(s.Features[i-1]))
		}
		w.text("feature", f, featureRule)
	}
	if s.Form == BadForm || s.Form >= forms {
		w.fail("form", formRange, strconv.Itoa(int(s.Form)))
	}
	w.append(byte(s.Form))
	if len(s.Bytes) == 0 || len(s.Bytes) > MaxBytes {
		w.fail("length of the section", between(1, MaxBytes), strconv.Itoa(len(s.Bytes)))
		return
	}
	w.append(binary.LittleEndian.AppendUint32(nil, uint32(len(s.Bytes)))...)
	w.append(s.Bytes...)
}

func (w *writer) signature(p *Package) {
	if len(p.Signer) == 0 && len(p.Signature) == 0 {
		w.append(0)
		return
	}
	if len(p.Signer) != ed25519.PublicKeySize || len(p.Signature) != ed25519.SignatureSize {
		w.fail("signature", "a key of 32 bytes and a signature of 64, or neither", fmt.Sprintf("%d and %d bytes", len(p.Signer), len(p.Signature)))
	}
	w.append(1)
	w.append(p.Signer...)
	w.append(p.Signature...)
}

func (w *writer) limit() {
	if n := len(w.b); n > MaxBytes && w.err == nil {
		w.err = tooLong(n)
	}
}

// Title says what a section is for, in words: "amd64+avx2 object".
func (s *Section) Title() string {
	var b bytes.Buffer
	b.WriteString(s.Arch)
	for _, f := range s.Features {
		b.WriteString("+" + f)
	}
	return b.String() + " " + s.Form.String()
}

const formRange = "1 (source) to 4 (object)"

func between(least, most int) string { return fmt.Sprintf("%d to %d", least, most) }

// quote shows the beginning of a text that may be long and hold anything.
func quote(s string) string {
	if len(s) > 80 {
		return fmt.Sprintf("%q… of %d bytes", s[:80], len(s))
	}
	return strconv.Quote(s)
}

func tooLong(n int) error {
	return &FormatError{0, "length", fmt.Sprintf("at most %d bytes", MaxBytes), strconv.Itoa(n)}
}
