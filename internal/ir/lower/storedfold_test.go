package lower

import (
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
)

const storedText = `kernel
size s0 1..10000000000
size s1 1..1099511627776
region read f64 s0
region readwrite f64 s0
region write f64 s1
sites 1
outer s1
grain 4096
count s0
body v0 v1 v2
  v3 = const i64 0
  v4 = const f64 0x4008000000000000 (3)
  for v5 in v1..v2 {
    v6 = load r0 v5
    v7 = mul f64 v6 v4
    store r1 v5 v7
    yield
  }
  v10 = fold v8 in v1..v2, add f64 {
    v9 = load r1 v8
    yield v9
  }
  store r2 v0 v10
  end
`

// A fold of what a loop has just stored is joined with it, and with no other.
func TestFoldStored(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, old, new string
		joined         bool
	}{
		{"as it is", "yield", "yield", true},
		{"a product", "add f64 {", "mul f64 {", true},
		{"of other elements", "for v5 in v1..v2", "for v5 in v0..v2", false},
		{"stored elsewhere", "store r1 v5 v7", "store r1 v3 v7", false},
		{"stored twice", "store r1 v5 v7", "store r1 v5 v7\n    store r1 v5 v6", false},
		{"the least, which may be looked for twice", "add f64 {", "min f64 {", false},
		{"a tree", "in v1..v2, add", "in v1..v2 tree, add", false},
		{"a neighbour", "load r1 v8", "load r1 v3", false},
		{"other memory", "load r1 v8", "load r0 v8", false},
		{"memory that is changed in place", "load r0 v5", "load r1 v5", false},
		{"a checked conversion", "v7 = mul f64 v6 v4", "v11 = convert f64 i64 v6 site 0 at v5\n    v7 = mul f64 v6 v4", false},
		{"from anywhere", "v6 = load r0 v5", "v11 = sub i64 v2 v5\n    v6 = load r0 v11", false},
		{"the same for all", "load r0 v5", "load r0 v3", true},
		{"a fault", "v7 = mul f64 v6 v4", "v11 = lt f64 v6 v4\n    fault v11 site 0 at v5\n    v7 = mul f64 v6 v4", false},
	} {
		text := strings.Replace(storedText, tt.old, tt.new, 1)
		k, err := kernel.ParseText(text)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		(&kern{k: k}).foldStored()
		after := kernel.Text(k)
		if joined := !strings.Contains(after, "for v5"); joined != tt.joined {
			t.Errorf("%s: joined is %v\n%s", tt.name, joined, after)
		}
		if _, err := kernel.ParseText(after); err != nil {
			t.Errorf("%s: %v\n%s", tt.name, err, after)
		}
		if tt.joined && (!strings.Contains(after, "store r1 v5 v7") || !strings.Contains(after, "yield v7") || strings.Contains(after, "load r1") || !strings.Contains(after, "region write f64 s0")) {
			t.Errorf("%s:\n%s", tt.name, after)
		}
	}
}

// What something else loads is not only stored.
func TestStoredAndLoaded(t *testing.T) {
	t.Parallel()
	more := "  v12 = fold v11 in v1..v2, max f64 {\n    v13 = load r1 v11\n    yield v13\n  }\n  store r2 v0 v12\n"
	k, err := kernel.ParseText(strings.Replace(storedText, "  store r2 v0 v10\n", more, 1))
	if err != nil {
		t.Fatal(err)
	}
	(&kern{k: k}).foldStored()
	if after := kernel.Text(k); strings.Contains(after, "for v5") || !strings.Contains(after, "region readwrite f64 s0") {
		t.Error(after)
	}
}

// Memory of the kernel's own stays so.
func TestStoredScratch(t *testing.T) {
	t.Parallel()
	k, err := kernel.ParseText(strings.Replace(storedText, "region readwrite f64 s0", "region scratch f64 s0", 1))
	if err != nil {
		t.Fatal(err)
	}
	(&kern{k: k}).foldStored()
	if after := kernel.Text(k); strings.Contains(after, "for v5") || !strings.Contains(after, "region scratch f64 s0") {
		t.Error(after)
	}
}
