package pack

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"runtime"
	"strings"
	"testing"
)

// cat puts small numbers, bytes and texts in a row.
func cat(parts ...any) (b []byte) {
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = append(b, byte(p))
		case []byte:
			b = append(b, p...)
		case string:
			b = append(b, p...)
		}
	}
	return b
}

// s is a text with its length before it.
func s(text string) []byte { return cat(len(text), text) }

// n is a length of a section.
func n(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }

// Beginnings of a package that are right.
var (
	named  = cat(Magic, s("f"))
	oneOf  = cat(named, 0, 1)                 // one section follows
	begun  = cat(oneOf, s("amd64"))           // its features follow
	formed = cat(begun, 0, int(Object))       // its length follows
	part   = cat(s("amd64"), 0, 4, n(1), "x") // a section
	whole  = cat(named, 0, 1, part)           // the signature follows
	key32  = bytes.Repeat([]byte{7}, 32)
	long   = strings.Repeat("a", 65)
	feats  = func(f ...string) (b []byte) { // a section with features, the signature follows
		b = cat(begun, len(f))
		for _, f := range f {
			b = append(b, s(f)...)
		}
		return cat(b, 4, n(1), "x", 0)
	}
)

var evil = []struct {
	name  string
	bytes []byte
	want  string
}{
	{"nothing", nil, "byte 0: beginning: expected 8 bytes, found 0 at the end"},
	{"half a beginning", []byte("godw"), "expected 8 bytes, found 4"},
	{"a parcel", make([]byte, 40), "beginning: expected"},
	{"another version", cat("godwitP\x02", whole[8:], 0), "a package of version 1, found"},
	{"an ELF object", cat("\x7fELF\x02\x01\x01\x00", make([]byte, 60)), `found "\x7fELF`},
	{"no name", []byte(Magic), "byte 8: length of the name: expected 1 bytes, found 0"},
	{"an empty name", cat(Magic, 0, 0, 1, part, 0), `name: expected a C identifier of 1 to 64 letters, digits and _, found ""`},
	{"a name that begins with a digit", cat(Magic, s("1f"), 0, 1, part, 0), `found "1f"`},
	{"a name with a path", cat(Magic, s("../f"), 0, 1, part, 0), `found "../f"`},
	{"a name with a NUL", cat(Magic, s("f\x00g"), 0, 1, part, 0), `found "f\x00g"`},
	{"a name with a line end", cat(Magic, s("f\n"), 0, 1, part, 0), `found "f\n"`},
	{"a name in other letters", cat(Magic, s("größe"), 0, 1, part, 0), `found "größe"`},
	{"a name of 65 letters", cat(Magic, s(long), 0, 1, part, 0), "name: expected a C identifier"},
	{"a name longer than the package", cat(Magic, 200, "f", 0, 1), "name: expected 200 bytes, found 3"},
	{"no libraries", named, "libraries: expected 1 bytes, found 0"},
	{"17 libraries", cat(named, 17, make([]byte, 100)), "libraries: expected 0 to 16, found 17"},
	{"255 libraries", cat(named, 255), "libraries: expected 0 to 16, found 255"},
	{"an empty library", cat(named, 1, 0, 1, part, 0), "library: expected the name of a library"},
	{"a library with a path", cat(named, 1, s("/lib/libc.so.6"), 1, part, 0), "without a path"},
	{"a library above", cat(named, 1, s(".."), 1, part, 0), `found ".."`},
	{"a library that looks like a flag", cat(named, 1, s("-lm"), 1, part, 0), `found "-lm"`},
	{"a library with spaces", cat(named, 1, s("libm so"), 1, part, 0), `found "libm so"`},
	{"a library of 65 letters", cat(named, 1, s(long), 1, part, 0), "of 1 to 64 bytes"},
	{"a library twice", cat(named, 2, s("libm.so.6"), s("libm.so.6"), 1, part, 0), `expected each library once, found "libm.so.6" again`},
	{"a library cut off", cat(named, 1, 9, "libm"), "library: expected 9 bytes, found 4"},
	{"no sections", cat(named, 0, 0, 0), "sections: expected 1 to 16, found 0"},
	{"17 sections", cat(named, 0, 17, part), "sections: expected 1 to 16, found 17"},
	{"more sections than there are", cat(named, 0, 2, part), "length of the architecture: expected 1 bytes, found 0"},
	{"the signature read as a section", cat(named, 0, 2, part, 0), `architecture: expected an architecture as amd64, of 1 to 16 small letters and digits, found ""`},
	{"an architecture in capitals", cat(oneOf, s("AMD64"), part[6:], 0), `found "AMD64"`},
	{"an architecture of 17 letters", cat(oneOf, s(long[:17]), part[6:], 0), "architecture: expected"},
	{"65 features", cat(begun, 65, make([]byte, 300)), "features: expected 0 to 64, found 65"},
	{"more features than bytes", cat(begun, 64), "length of the feature: expected 1 bytes, found 0"},
	{"an empty feature", feats(""), "feature: expected a feature as avx2"},
	{"a feature with a sign", feats("+avx2"), `found "+avx2"`},
	{"a feature with a comma", feats("avx2,fma"), `found "avx2,fma"`},
	{"a feature of 33 letters", feats(long[:33]), "of 1 to 32 small letters"},
	{"features out of order", feats("fma", "avx2"), `features in ascending order, none twice, found "avx2" after "fma"`},
	{"a feature twice", feats("fma", "fma"), `found "fma" after "fma"`},
	{"form 0", cat(begun, 0, 0, n(1), "x", 0), "form: expected 1 (source) to 4 (object), found 0"},
	{"form 5", cat(begun, 0, 5, n(1), "x", 0), "form: expected 1 (source) to 4 (object), found 5"},
	{"a form cut off", cat(begun, 0), "form: expected 1 bytes"},
	{"half a length", cat(formed, 1, 0), "length of the section: expected 4 bytes, found 2"},
	{"an empty section", cat(formed, n(0), 0), "length of the section: expected 1 to 1 in the bytes that are left, found 0"},
	{"a section one byte too long", cat(formed, n(2), "x"), "expected 1 to 1 in the bytes that are left, found 2"},
	{"a section of 4 GiB", cat(formed, n(1<<32-1), "x"), "found 4294967295"},
	{"a section of 2 GiB", cat(formed, n(1<<31), "x"), "found 2147483648"},
	{"a section twice", cat(named, 0, 2, part, part, 0), "none twice, found amd64 object after amd64 object"},
	{"architectures out of order", cat(named, 0, 2, s("arm64"), part[6:], part, 0), "found amd64 object after arm64 object"},
	{"forms out of order", cat(named, 0, 2, s("amd64"), 0, 2, n(1), "x", part, 0), "found amd64 object after amd64 bitcode"},
	{"few features before many", cat(named, 0, 2, part, s("amd64"), 1, s("fma"), 4, n(1), "x", 0), "found amd64+fma object after amd64 object"},
	{"no word about the signature", whole, "signed: expected 1 bytes, found 0"},
	{"signed neither yes nor no", cat(whole, 2), "signed: expected 0 or 1, found 2"},
	{"signed by nobody", cat(whole, 1), "key of the signer: expected 32 bytes, found 0"},
	{"half a signature", cat(whole, 1, key32, key32), "signature: expected 64 bytes, found 32"},
	{"a byte after it", cat(whole, 0, 0), "end: expected nothing more, found 1 bytes"},
	{"a signature that is not announced", cat(whole, 0, key32, key32, key32), "end: expected nothing more, found 96 bytes"},
	{"two signatures", cat(whole, 1, key32, key32, key32, 1, key32, key32, key32), "found 97 bytes"},
	{"two packages", cat(whole, 0, whole, 0), "end: expected nothing more"},
	{"more than 16 MiB", make([]byte, MaxBytes+1), "byte 0: length: expected at most 16777216 bytes, found 16777217"},
}

func TestEvil(t *testing.T) {
	if _, err := Decode(cat(whole, 0)); err != nil {
		t.Fatalf("what the wrong ones are made of is wrong itself: %v", err)
	}
	for _, e := range evil {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(e.bytes)
		runtime.ReadMemStats(&after)
		var f *FormatError
		if !errors.As(err, &f) || !strings.Contains(err.Error(), e.want) {
			t.Errorf("%s: %v, want %q", e.name, err, e.want)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<10 {
			t.Errorf("%s: %d bytes were allocated to refuse it", e.name, grown)
		}
	}
}

// What would be refused is not written.
func TestEncodeRefuses(t *testing.T) {
	section := Section{Arch: "amd64", Form: Object, Bytes: []byte("x")}
	for _, c := range []struct {
		change func(p *Package)
		want   string
	}{
		{func(p *Package) { p.Name = "" }, "name: expected a C identifier"},
		{func(p *Package) { p.Name = strings.Repeat("a", 300) }, "… of 300 bytes"},
		{func(p *Package) { p.Deps = make([]string, 17) }, "libraries: expected 0 to 16, found 17"},
		{func(p *Package) { p.Deps = []string{"a/b"} }, `found "a/b"`},
		{func(p *Package) { p.Deps = []string{"a", "a"} }, "each library once"},
		{func(p *Package) { p.Sections = nil }, "sections: expected 1 to 16, found 0"},
		{func(p *Package) { p.Sections = make([]Section, 257) }, "found 257"},
		{func(p *Package) { p.Sections = []Section{section, section} }, "amd64 object after amd64 object"},
		{func(p *Package) { p.Sections[0].Arch = "AMD" }, `found "AMD"`},
		{func(p *Package) { p.Sections[0].Form = forms }, "form: expected 1 (source) to 4 (object), found 5"},
		{func(p *Package) { p.Sections[0].Features = []string{"b", "a"} }, `found "a" after "b"`},
		{func(p *Package) { p.Sections[0].Features = make([]string, 300) }, "features: expected 0 to 64, found 300"},
		{func(p *Package) { p.Sections[0].Bytes = nil }, "length of the section: expected 1 to 16777216, found 0"},
		{func(p *Package) { p.Sections[0].Bytes = make([]byte, MaxBytes) }, "length: expected at most 16777216 bytes"},
		{func(p *Package) { p.Signer = make(ed25519.PublicKey, 32) }, "or neither, found 32 and 0 bytes"},
		{func(p *Package) { p.Signature = make([]byte, 64) }, "or neither, found 0 and 64 bytes"},
	} {
		p := &Package{Name: "f", Sections: []Section{section}}
		c.change(p)
		b, err := Encode(p)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
		if err == nil {
			t.Errorf("%d bytes were written", len(b))
		}
	}
}
