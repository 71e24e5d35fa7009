package kernel_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func roundTrip(t interface{ Fatalf(string, ...any) }, k *kernel.Kernel) {
	b, err := kernel.Encode(k)
	if err != nil {
		t.Fatalf("%v\n%s", err, kernel.Text(k))
	}
	k2, err := kernel.Decode(b)
	if err != nil {
		t.Fatalf("%v\n%s", err, kernel.Text(k))
	}
	text := kernel.Text(k)
	if text2 := kernel.Text(k2); text2 != text {
		t.Fatalf("got\n%s\nwant\n%s", text2, text)
	}
	if b2, err := kernel.Encode(k2); err != nil || !bytes.Equal(b, b2) {
		t.Fatalf("%v: %x, want %x", err, b2, b)
	}
	k3, err := kernel.ParseText(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if b3, err := kernel.Encode(k3); err != nil || !bytes.Equal(b, b3) {
		t.Fatalf("%v: the text gives\n%s\nwant\n%s", err, kernel.Text(k3), text)
	}
}

func TestRoundTripEvery(t *testing.T) {
	for _, c := range kerneltest.Every() {
		roundTrip(t, c.Kernel)
	}
}

func TestRoundTripDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { roundTrip(t, kerneltest.Gen().Draw(t, "case").Kernel) })
}

// TestGenCoversEverything: a code, operation or operator that Gen never uses
// is one that no engine is tested on.
func TestGenCoversEverything(t *testing.T) {
	seen := map[string]bool{}
	var visit func(b *kernel.Block)
	visit = func(b *kernel.Block) {
		for i := range b.Instrs {
			in := &b.Instrs[i]
			seen[in.Code.String()] = true
			seen[in.Op.String()] = true
			for _, a := range in.Accs {
				seen["fold "+a.Op.String()] = true
			}
			for j := range in.Blocks {
				visit(&in.Blocks[j])
			}
		}
	}
	for i := range 1000 {
		visit(&kerneltest.Gen().Example(i).Kernel.Body)
	}
	for c := kernel.Const; c <= kernel.Fold; c++ {
		if !seen[c.String()] {
			t.Errorf("%s was never drawn", c)
		}
	}
	for o := num.Add; o.Valid(); o++ {
		if !seen[o.String()] {
			t.Errorf("%s was never drawn", o)
		}
	}
	for o := num.FoldAdd; o.Valid(); o++ {
		if !seen["fold "+o.String()] {
			t.Errorf("fold %s was never drawn", o)
		}
	}
}

func sample(t testing.TB) []byte {
	b, err := kernel.Encode(kerneltest.Every()[0].Kernel)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestKernelsAreSmall(t *testing.T) {
	if n := len(sample(t)); n > 120 {
		t.Errorf("an elementwise kernel has %d bytes", n)
	}
}

func TestDecodeRefuses(t *testing.T) {
	good := sample(t)
	for n := range good {
		if _, err := kernel.Decode(good[:n]); err == nil {
			t.Errorf("a kernel cut to %d bytes was accepted", n)
		}
	}
	// An empty kernel: no sizes, scalars, regions, sites; three polynomials
	// 0; no state; a body without instructions.
	empty := "GWK\x01" + strings.Repeat("\x00", 9)
	if _, err := kernel.Decode([]byte(empty)); err != nil {
		t.Fatal(err)
	}
	head := "GWK\x01\x01\x00\x05\x00\x00\x00" // one size s0
	for _, c := range []struct{ name, bytes, want string }{
		{"trailing", empty + "\x00", "after the end"},
		{"magic", "GWL" + empty[3:], "not a kernel"},
		{"version", "GWK\x02" + empty[4:], "version 2"},
		{"long varint", "GWK\x01\x80\x00" + empty[5:], "shortest"},
		{"overflowing varint", "GWK\x01\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f" + empty[5:], "shortest"},
		{"lying count", "GWK\x01\x00\x00\x81\x08", "number of regions"},
		{"count past the end", "GWK\x01\x3f\x00\x00", "left"},
		{"kind", "GWK\x01\x00\x01\x0c\x00" + empty[4:], "no kind 12"},
		{"access", "GWK\x01\x00\x00\x01\x01\x04" + empty[4:], "access is 4"},
		{"unsorted terms", head + "\x02\x02\x00\x02\x01\x00", "not in order"},
		{"equal terms", head + "\x02\x02\x01\x00\x02\x01\x00", "not in order"},
		{"zero coefficient", head + "\x01\x00\x00", "coefficient 0"},
		{"size out of range", head + "\x01\x02\x01\x01", "size 1"},
		{"instruction code", empty[:len(empty)-1] + "\x01\x10", "instruction code is 16"},
		{"instruction code zero", empty[:len(empty)-1] + "\x01\x00", "instruction code 0"},
		{"undefined value", empty[:len(empty)-1] + "\x01\x0c\x04", "distance"},
		{"absent value", empty[:len(empty)-1] + "\x01\x0c\x00", "absent"},
		{"site", empty[:len(empty)-1] + "\x01\x0c\x01\x01", "site 1"},
		{"NaN", empty[:len(empty)-1] + "\x01\x01\x0a\x01\x00\x80\x7f", "proper value"},
		{"wide u8", empty[:len(empty)-1] + "\x01\x01\x06\x80\x02", "proper value"},
		{"region", empty[:len(empty)-1] + "\x01\x08\x00", "region 0, but there are 0"},
		{"operation", empty[:len(empty)-1] + "\x01\x04\x7f", "no operation 127"},
	} {
		_, err := kernel.Decode([]byte(c.bytes))
		if e := new(kernel.FormatError); !errors.As(err, &e) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := kernel.Decode(make([]byte, kernel.MaxBytes+1)); err == nil {
		t.Error("too many bytes were accepted")
	}
	// If nested far beyond the limit: each level is "one instruction, if,
	// value 1 back" and must stop the reader, not the machine.
	deep := empty[:len(empty)-1] + strings.Repeat("\x01\x0d\x01", 20000)
	if _, err := kernel.Decode([]byte(deep)); err == nil || !strings.Contains(err.Error(), "nested") {
		t.Errorf("deep nesting: %v", err)
	}
}

func TestEncodeRefuses(t *testing.T) {
	fresh := func() *kernel.Kernel { return kerneltest.Every()[0].Clone().Kernel }
	loop := func(k *kernel.Kernel) *kernel.Instr { return &k.Body.Instrs[0] }
	for name, spoil := range map[string]func(k *kernel.Kernel){
		"numbering":      func(k *kernel.Kernel) { k.Body.Params[0] = 5 },
		"forward use":    func(k *kernel.Kernel) { loop(k).Args[0] = 100 },
		"negative use":   func(k *kernel.Kernel) { loop(k).Args[0] = -7 },
		"too few args":   func(k *kernel.Kernel) { loop(k).Args = nil },
		"no block":       func(k *kernel.Kernel) { loop(k).Blocks = nil },
		"extra field":    func(k *kernel.Kernel) { loop(k).Region = 1 },
		"extra site":     func(k *kernel.Kernel) { loop(k).Site = 0 },
		"no code":        func(k *kernel.Kernel) { loop(k).Code = 0 },
		"huge code":      func(k *kernel.Kernel) { loop(k).Code = 200 },
		"quotient":       func(k *kernel.Kernel) { k.Outer = size.Div(kernel.SizeVar(0), 7) },
		"other name":     func(k *kernel.Kernel) { k.Outer = size.Var("N") },
		"missing size":   func(k *kernel.Kernel) { k.Outer = kernel.SizeVar(2) },
		"overflow":       func(k *kernel.Kernel) { k.Outer = size.Const(1 << 62).MulConst(4) },
		"negative size":  func(k *kernel.Kernel) { k.Sizes[0].Lo = -1 },
		"negative sites": func(k *kernel.Kernel) { k.Sites = -1 },
		"stray bound":    func(k *kernel.Kernel) { k.Regions[0].Bound = size.Const(1) },
		"bad kind":       func(k *kernel.Kernel) { k.Regions[0].Elem = 77 },
		"bad access":     func(k *kernel.Kernel) { k.Regions[0].Access = 9 },
		"float range":    func(k *kernel.Kernel) { k.Scalars = []kernel.Scalar{{Kind: num.F32, Lo: 1}} },
		"degree": func(k *kernel.Kernel) {
			p := kernel.SizeVar(0)
			for range 8 {
				p = p.Mul(kernel.SizeVar(0))
			}
			k.Outer = p
		},
	} {
		k := fresh()
		spoil(k)
		if _, err := kernel.Encode(k); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestHash(t *testing.T) {
	id := kernel.Hash([]byte("GWK"))
	if len(id.String()) != 64 || !strings.HasPrefix(id.String(), id.Short()) || len(id.Short()) != 12 {
		t.Error(id, id.Short())
	}
}

// FuzzDecode: whatever is accepted is the one encoding of its kernel.
func FuzzDecode(f *testing.F) {
	for i, c := range kerneltest.Every() {
		if b, err := kernel.Encode(c.Kernel); err == nil && i%17 == 0 {
			f.Add(b)
		}
	}
	for i := range 40 {
		if b, err := kernel.Encode(kerneltest.Gen().Example(i).Kernel); err == nil {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		k, err := kernel.Decode(b)
		if err != nil {
			return
		}
		roundTrip(t, k)
		if again, _ := kernel.Encode(k); !bytes.Equal(again, b) {
			t.Fatalf("%x was accepted, but is written %x", b, again)
		}
	})
}
