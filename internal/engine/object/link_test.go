//go:build !static

package object

import (
	"bytes"
	"debug/elf"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// functions are those of testdata, computed in Go.
var functions = map[string]map[string]func(int64) int64{
	"tables":   {"jump": jump, "strings": hash, "ring": ring, "functions": steps},
	"numbers":  {"polynomial": polynomial, "narrow": narrow, "lanes": lanes, "vectors": vectors, "shuffle": shuffle},
	"memory":   {"zeroed": zeroed, "counting": counting, "copying": copying, "commons": func(x int64) int64 { return x }},
	"provider": {"scale": scale},
	"outside": {
		"calling":  func(x int64) int64 { return scale(x) + scale(x+1) },
		"jumping":  func(x int64) int64 { return scale(x + 2) },
		"reading":  func(x int64) int64 { return 1000 + x },
		"weakly":   func(x int64) int64 { return x + 5 },
		"pointing": scale,
	},
}

func scale(x int64) int64 { return x*17 + 1000 }

func jump(x int64) int64 {
	switch x {
	case 0:
		return 7
	case 1:
		return x * 19
	case 2:
		return 23 - x
	case 3:
		return x << 5
	case 4:
		return x ^ 99
	case 5:
		return 1234567
	case 6:
		return x * x * x
	case 7:
		return -x
	case 8:
		return x%3 + 41
	case 9:
		return 1 << 20
	}
	return -1
}

func hash(x int64) int64 {
	h := int64(5381)
	for _, c := range []byte([]string{"zero", "one", "two", "three", "four", "five", "zero", "seventeen"}[x&7]) {
		h = h*33 + int64(c)
	}
	return h
}

func ring(x int64) int64 {
	sum, values, counters := int64(0), []int64{1, 3, 2}, []int64{200, 300, 100}
	for i := range x {
		sum = sum*3 + values[i%3] + counters[i%3]
	}
	return sum
}

func steps(x int64) int64 {
	v := x
	for i := range int64(4) {
		switch (i + x) & 3 {
		case 0, 3:
			v = 2*v + 1
		case 1:
			v = v*v + 1
		case 2:
			v = 1 - v
		}
	}
	if x&1 == 1 {
		return 2 * v
	}
	return -v
}

func polynomial(x int64) int64 {
	v := float64(x) * 0.25
	return int64(math.Float64bits(float64(float64(float64(float64(v*3.5)+1.25)*v)-2.0)*v + 0.5))
}

func narrow(x int64) int64 { return int64(float32(float32(x)*1.5) + 0.25) }

const weights = "3141592653589793238462643383279502884197169399375105820974944592"

func lanes(x int64) (sum int64) {
	for i := range int64(64) {
		w := int64(weights[i] - '0')
		sum += int64(int32(w)^int32(i*7+x)) & 0xffff * (i + 1)
	}
	return sum
}

func vectors(x int64) int64 {
	sum := 0.0
	for i := range int64(32) {
		sum += float64(i+x)/1024 + float64(int64(1)<<(i&7))
	}
	return int64(math.Float64bits(sum))
}

func shuffle(x int64) (h int64) {
	for i := range int64(64) {
		add := 63 - i/2
		if i%2 == 1 {
			add = i/2 + 1
		}
		if i == 63 {
			add = 0
		}
		h = h*31 + int64(int8(i*3+x)+int8(add))
	}
	return h
}

func zeroed(int64) int64     { return 0 }
func counting(x int64) int64 { return 41 + x }

func copying(x int64) int64 {
	n := 100 + x
	var from, to [256]byte
	for i := range to {
		from[i], to[i] = byte(i*5), byte(x)
	}
	copy(to[3:], from[:n])
	copy(to[10:], to[:n])
	h := int64(0)
	if bytes.Compare(to[:n], to[1:n+1]) > 0 {
		h = 1
	}
	for _, c := range to {
		h = h*131 + int64(c)
	}
	return h
}

// needsLow reports whether an object has addresses of 32 bits, for which an image
// is too high in memory.
func needsLow(t *testing.T, b []byte) bool {
	f, err := elf.NewFile(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || f.Machine != elf.EM_X86_64 || f.Sections[s.Info].Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		data, err := s.Data()
		if err != nil {
			t.Fatal(err)
		}
		for ; len(data) >= relocationBytes; data = data[relocationBytes:] {
			if k := elf.R_X86_64(order.Uint32(data[8:])); k == elf.R_X86_64_32 || k == elf.R_X86_64_32S {
				return true
			}
		}
	}
	return false
}

func TestLinked(t *testing.T) {
	dir, builds := objects(t)
	linked, refused := 0, 0
	for _, b := range builds {
		for _, f := range files {
			if f == "outside" {
				continue // TestOutside
			}
			t.Run(f+"/"+b, func(t *testing.T) {
				o := load(t, dir, f, b+".o")
				image, err := Link(o, Library)
				if needsLow(t, o) {
					refused++
					if err == nil || !strings.Contains(err.Error(), "does not fit") || !strings.Contains(err.Error(), "R_X86_64_32") {
						t.Fatalf("an object with addresses of 32 bits: %v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				linked++
				compare(t, image, functions[f])
				if err := image.Close(); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
	t.Logf("%d objects linked and called, %d refused", linked, refused)
	if linked < len(builds)*(len(files)-1)/2 {
		t.Errorf("only %d objects linked", linked)
	}
}

// compare calls functions of an image with several arguments.
func compare(t *testing.T, image *Image, want map[string]func(int64) int64) {
	t.Helper()
	for name, f := range want {
		fn, ok := image.Symbol(name)
		if !ok {
			t.Errorf("%s is not found", name)
			continue
		}
		for x := range int64(13) {
			if got := int64(Call(fn, uintptr(x))); got != f(x) {
				t.Errorf("%s(%d) = %d, expected %d", name, x, got, f(x))
			}
		}
	}
}

func TestOutside(t *testing.T) {
	dir, builds := objects(t)
	for _, b := range builds {
		if !strings.Contains(b, "-fPIC") {
			continue
		}
		t.Run(b, func(t *testing.T) {
			provider := placed(t, load(t, dir, "provider", b+".o"), nil, 0)
			outside := placed(t, load(t, dir, "outside", b+".o"), provider.Symbol, 0)
			compare(t, outside, functions["outside"])
			if _, err := Link(load(t, dir, "outside", b+".o"), nil); err == nil || !strings.Contains(err.Error(), "not defined") ||
				!strings.Contains(err.Error(), "section .text") || !strings.Contains(err.Error(), "relocation R_") {
				t.Errorf("without what it needs: %v", err)
			}
		})
	}
}

// placed links as Link does, into memory near a wanted address; 0 is anywhere.
func placed(t *testing.T, o []byte, resolve Resolve, want uint64) *Image {
	t.Helper()
	m, err := machineOf(runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	l, err := examine(o, m)
	if err != nil {
		t.Fatal(err)
	}
	n := uintptr(l.starts[segments])
	at, err := unix.MmapPtr(-1, 0, unsafe.Add(nil, want), n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.MunmapPtr(at, n) })
	memory := unsafe.Slice((*byte)(at), n)
	addresses, err := l.fill(memory, resolve)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.protect(memory); err != nil {
		t.Fatal(err)
	}
	return &Image{memory, l.exports(addresses)}
}

// Images that lie further from each other than a call reaches.
func TestFar(t *testing.T) {
	dir, builds := objects(t)
	for _, b := range builds {
		if !strings.Contains(b, "-fPIC") {
			continue
		}
		t.Run(b, func(t *testing.T) {
			provider := placed(t, load(t, dir, "provider", b+".o"), nil, 0)
			outside := placed(t, load(t, dir, "outside", b+".o"), provider.Symbol, address(provider.memory)-8<<30)
			if d := int64(address(outside.memory) - address(provider.memory)); d > -4<<30 && d < 4<<30 {
				t.Fatalf("the images lie only %d bytes from each other", d)
			}
			compare(t, outside, functions["outside"])
		})
	}
}

// Code is not writable, constants are not either, and variables not executable.
func TestProtection(t *testing.T) {
	image := placed(t, one(t, "tables"), Library, 0)
	for name, want := range map[string]string{"jump": "r-xp", "first": "r--p", "counters": "rw-p"} {
		a, ok := image.Symbol(name)
		if !ok {
			t.Fatalf("%s is not found", name)
		}
		if got, want := writable(image, a), want == "rw-p"; got != want {
			t.Errorf("%s: writable %t, expected %t", name, got, want)
		}
		// An emulator keeps no code executable for the system, and shows that.
		if got := protection(t, a); got != want && os.Getenv("GODWIT_OBJECTS") == "" {
			t.Errorf("%s lies in memory with %s, expected %s", name, got, want)
		}
	}
}

// writable tries it.
func writable(i *Image, a uintptr) (ok bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { ok = recover() == nil }()
	at := uint64(a) - address(i.memory)
	i.memory[at]++
	i.memory[at]--
	return true
}

// The same addresses with other code, again and again: what a cache of
// instructions that is not flushed gets wrong.
func TestWritten(t *testing.T) {
	var at uint64
	made := map[string][]byte{"tables": one(t, "tables"), "provider": one(t, "provider")}
	for range 50 {
		for f, name := range map[string]string{"tables": "jump", "provider": "scale"} {
			t.Run(name, func(t *testing.T) {
				image := placed(t, made[f], Library, at)
				if at == 0 {
					at = address(image.memory)
				}
				if now := address(image.memory); now != at {
					t.Skipf("SKIPPED: the system gave another address, %#x for %#x", now, at)
				}
				fn, _ := image.Symbol(name)
				if got, want := int64(Call(fn, 4)), functions[f][name](4); got != want {
					t.Fatalf("%s(4) = %d, expected %d", name, got, want)
				}
			})
		}
	}
}
