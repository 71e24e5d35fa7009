package pack

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		b, err := Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		q, err := Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(p, q) {
			t.Fatalf("%+v was read as %+v", p, q)
		}
		short := b[:len(b)-1-len(p.Signer)-len(p.Signature)]
		if id, err := q.ID(); err != nil || id != sha256.Sum256(short) {
			t.Fatalf("the hash is %s, %v", id, err)
		}
	})
}

// No byte of a signed package can be changed without notice.
func TestTampered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawn(t)
		if err := p.Sign(key(t)); err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		b, err := Encode(p)
		if err != nil {
			t.Fatal(err)
		}
		b[rapid.IntRange(0, len(b)-1).Draw(t, "where")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		q, err := Decode(b)
		if err != nil {
			return
		}
		if err := q.Check(); !errors.Is(err, ErrSignature) && !errors.Is(err, ErrUnsigned) {
			t.Fatalf("a changed bit was not noticed: %v", err)
		}
	})
}

// Nothing shorter is a package.
func TestCut(t *testing.T) {
	b, err := Encode(example(t))
	if err != nil {
		t.Fatal(err)
	}
	for n := range b {
		if _, err := Decode(b[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are accepted", n, len(b))
		}
	}
}

func TestCheck(t *testing.T) {
	p := &Package{Name: "f", Sections: []Section{{Arch: "amd64", Form: Object, Bytes: []byte("x")}}}
	if err := p.Check(); !errors.Is(err, ErrUnsigned) || !strings.Contains(err.Error(), "--key") {
		t.Error(err)
	}
	if err := p.Sign(ed25519.PrivateKey("short")); err == nil || !strings.Contains(err.Error(), "found 5 bytes") {
		t.Error(err)
	}
	_, mine, _ := ed25519.GenerateKey(nil)
	other, theirs, _ := ed25519.GenerateKey(nil)
	if err := p.Sign(mine); err != nil || p.Check() != nil {
		t.Error(err, p.Check())
	}
	id, _ := p.ID()
	for what, change := range map[string]func(q *Package){
		"another signer":            func(q *Package) { q.Signer = other },
		"a short key":               func(q *Package) { q.Signer = q.Signer[:31] },
		"no key":                    func(q *Package) { q.Signer = nil },
		"no signature":              func(q *Package) { q.Signature = nil },
		"a signature of the hash":   func(q *Package) { q.Signature = ed25519.Sign(mine, id[:]) },
		"a signature by another":    func(q *Package) { q.Signature = ed25519.Sign(theirs, signed(id)) },
		"another name":              func(q *Package) { q.Name = "g" },
		"another library":           func(q *Package) { q.Deps = []string{"libm.so.6"} },
		"a feature less to ask for": func(q *Package) { q.Sections[0].Features = []string{"avx"} },
	} {
		q := *p
		q.Sections = slices.Clone(p.Sections)
		if change(&q); !errors.Is(q.Check(), ErrSignature) {
			t.Errorf("%s: %v", what, q.Check())
		}
	}
}

func TestChoose(t *testing.T) {
	part := func(arch string, form Form, features ...string) Section {
		return Section{Arch: arch, Features: features, Form: form, Bytes: []byte{1}}
	}
	all := []Section{
		part("amd64", Object), part("amd64", Bitcode), part("amd64", Source), part("amd64", Bitcode, "avx2", "fma"), part("amd64", Object, "avx512f"),
		part("arm64", Source), part("arm64", Bitcode), part("arm64", Optimised), part("riscv64", Object, "v"),
	}
	everything := Host{Features: []string{"avx2", "avx512f", "fma", "v"}, Source: true, Bitcode: true}
	for _, c := range []struct {
		arch, want string
		host       Host
	}{
		{"amd64", "amd64+avx2+fma bitcode", everything},
		{"amd64", "amd64+avx512f object", Host{Features: everything.Features}},
		{"amd64", "amd64+avx512f object", Host{Features: []string{"avx512f"}, Bitcode: true}},
		{"amd64", "amd64 object", Host{Source: true, Bitcode: true}},
		{"arm64", "arm64 optimised", everything},
		{"arm64", "arm64 source", Host{Source: true}},
		{"riscv64", "riscv64+v object", everything},
	} {
		c.host.Arch = c.arch
		// The order of the sections must not matter.
		for _, order := range [][]Section{all, slices.Clone(all)} {
			p := &Package{Name: "f", Sections: order}
			if s, err := p.Choose(c.host); err != nil || s.Title() != c.want {
				t.Errorf("%+v: %v, %v, want %s", c.host, s, err, c.want)
			}
			slices.Reverse(all)
		}
	}
	for _, c := range []struct {
		host Host
		want []string
	}{
		{Host{Arch: "s390x"}, []string{"this node (s390x)", "amd64 object: for another architecture", "--targets"}},
		{Host{Arch: "riscv64", Source: true}, []string{"riscv64+v object: the processor lacks v"}},
		{Host{Arch: "arm64"}, []string{"arm64 source: clang is not installed there", "arm64 optimised: libLLVM is not installed there (Debian: libllvm19)"}},
	} {
		_, err := (&Package{Name: "f", Sections: all}).Choose(c.host)
		for _, w := range c.want {
			if !errors.Is(err, ErrNoSection) || !strings.Contains(err.Error(), w) {
				t.Errorf("%+v: %v, want %q", c.host, err, w)
			}
		}
	}
}

func TestForms(t *testing.T) {
	for f := BadForm + 1; f < forms; f++ {
		if g, err := ParseForm(f.String()); g != f || err != nil {
			t.Errorf("%v is read as %v, %v", f, g, err)
		}
	}
	if _, err := ParseForm("machine"); err == nil || !strings.Contains(err.Error(), `found "machine"`) {
		t.Error(err)
	}
	for _, text := range []string{"", "12", strings.Repeat("g", 64), strings.Repeat("0", 66)} {
		if _, err := ParseID(text); err == nil {
			t.Errorf("%q is read as a hash", text)
		}
	}
	id := ID{1, 2, 3}
	if again, err := ParseID(id.String()); err != nil || again != id {
		t.Error(again, err)
	}
}

// TestHeader holds the lists of functions and return codes to the header.
func TestHeader(t *testing.T) {
	text := regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAll(Header, nil)
	var found []string
	for _, m := range regexp.MustCompile(`(?m)^[a-z].*?\b(gw_\w+)\(`).FindAllSubmatch(text, -1) {
		found = append(found, string(m[1]))
	}
	if !slices.Equal(found, Functions) {
		t.Errorf("godwit.h declares %q, Functions are %q", found, Functions)
	}
	for _, s := range append([]string{MainSuffix, BoundSuffix, InitSuffix}, Memory...) {
		if !bytes.Contains(Header, []byte(s)) {
			t.Errorf("godwit.h does not say %q", s)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for i := range 20 {
		b, err := Encode(rapid.Custom(drawn).Example(i))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Decode(b)
		if err != nil {
			var e *FormatError
			if !errors.As(err, &e) || e.Offset > len(b) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		again, err := Encode(p)
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("%x was accepted, and written as %x: %v", b, again, err)
		}
		_ = p.Check()
		if s, err := p.Choose(Host{Arch: "amd64", Source: true, Bitcode: true}); err == nil && s.Arch != "amd64" {
			t.Fatalf("chose %s", s.Title())
		}
	})
}
