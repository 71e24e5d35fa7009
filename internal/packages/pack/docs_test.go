package pack

import (
	"bytes"
	"crypto/ed25519"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/docs/pagetest"
)

var update = flag.Bool("update", false, "rewrite the example in docs/packages.md")

const page = "../../../docs/packages.md"

// example is the package that the page takes apart.
func example(t *testing.T) *Package {
	p := &Package{Name: "f", Deps: []string{"libm.so.6"}, Sections: []Section{
		{Arch: "amd64", Features: []string{"avx2", "fma"}, Form: Object, Bytes: []byte{0x7f, 'E', 'L', 'F'}},
		{Arch: "arm64", Form: Bitcode, Bytes: []byte{'B', 'C', 0xc0, 0xde}},
	}}
	if err := p.Sign(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))); err != nil {
		t.Fatal(err)
	}
	return p
}

// fields are those of the example, with the bytes that each takes.
var fields = []pagetest.Field{
	{8, "godwitP, version 1"}, {2, "name: f"},
	{1, "one library"}, {10, "libm.so.6"},
	{1, "two sections"},
	{6, "amd64"}, {1, "two features"}, {5, "avx2"}, {4, "fma"}, {1, "object"}, {4, "four bytes"}, {4, "which are these"},
	{6, "arm64"}, {1, "no features"}, {1, "bitcode"}, {4, "four bytes"}, {4, "which are these; here ends what the hash is of"},
	{1, "signed"}, {32, "key of the signer"}, {64, "signature"},
}

// TestExample regenerates the example of the page.
func TestExample(t *testing.T) {
	p := example(t)
	all, err := Encode(p)
	if err != nil {
		t.Fatal(err)
	}
	id, err := p.ID()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("has %d bytes and the hash `%s`:", len(all), id); !*update && !bytes.Contains(b, []byte(want)) {
		t.Errorf("%s does not say %q", page, want)
	}
	pagetest.Example(t, page, all, fields, *update)
}

// TestPageIsReadable reads the bytes as they stand on the page, which shows only the
// beginning of the signature, and takes them for those of an unsigned package.
func TestPageIsReadable(t *testing.T) {
	all := pagetest.Bytes(t, page)
	all[len(all)-1] = 0
	p, err := Decode(all)
	if err != nil {
		t.Fatal(err)
	}
	want := example(t)
	id, _ := p.ID()
	if wantID, _ := want.ID(); id != wantID {
		t.Errorf("the page shows %+v, the example is %+v", p, want)
	}
}

// TestTables finds the fields, forms and limits in the page, and every function
// of godwit.h.
func TestTables(t *testing.T) {
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		fmt.Sprintf("| signed message | %d | `%s`, and the hash |", len(domain)+len(ID{}), strings.TrimSuffix(domain, "\x00")+`\0`),
		fmt.Sprintf("at most %d MiB", MaxBytes>>20),
		fmt.Sprintf("| libraries | 1 | how many follow, at most %d |", MaxDeps),
		fmt.Sprintf("| sections | 1 | how many follow, 1 to %d |", MaxSections),
		fmt.Sprintf("| – features | 1 | how many follow, at most %d |", MaxFeatures),
		fmt.Sprintf("of 1 to %d letters", MaxName),
	}
	for f := BadForm + 1; f < forms; f++ {
		want = append(want, fmt.Sprintf("| %d | %s |", f, f))
	}
	for _, f := range Functions {
		want = append(want, "| `"+f+"(")
	}
	for _, w := range want {
		if !bytes.Contains(b, []byte(w)) {
			t.Errorf("%s does not say %q", page, w)
		}
	}
}
