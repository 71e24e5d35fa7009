package llvmir

import (
	"fmt"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

const rowsText = `kernel
size s0 1..10000000
size s1 1..1099511627776
region read KIND WIDTH*s0
region read KIND 5*WIDTH
region write KIND s0
sites 0
outer s1
grain 4096
count s0
body v0 v1 v2
  v3 = const i64 0
  v4 = const i64 5
  v5 = const i64 WIDTH
  for v6 in v1..v2 {
    v7 = mul i64 v6 v5
    v18 = fold v8 in v3..v4, max KIND {
      v9 = mul i64 v8 v5
      v17 = fold v10 in v3..v5, add KIND {
        v11 = add i64 v9 v10
        v12 = load r1 v11
        v13 = add i64 v7 v10
        v14 = load r0 v13
        v15 = sub KIND v12 v14
        yield v15
      }
      yield v17
    }
    store r2 v6 v18
    yield
  }
  end
`

// Rows that the turns of a loop have side by side, of any width and kind, are turned as they are loaded.
func TestTurnedPieces(t *testing.T) {
	eachWidth(t, func(t *testing.T, b *backend) {
		for _, kind := range []num.Kind{num.F32, num.F64, num.I32, num.I64, num.U16, num.I8} {
			for _, width := range []int{1, 2, 3, 4, 7, 8, 9, 16, 21} {
				text := strings.NewReplacer("KIND", kind.String(), "5*WIDTH", fmt.Sprint(5*width), "WIDTH", fmt.Sprint(width)).Replace(rowsText)
				if !kind.IsFloat() {
					text = strings.Replace(text, "add "+kind.String()+" {", "xor "+kind.String()+" {", 1)
				}
				k, err := kernel.ParseText(text)
				if err != nil {
					t.Fatal(err)
				}
				sizes, outer := leaves(500)
				if err := b.agree(t, caseOf(k, sizes, outer)); err != nil {
					t.Errorf("rows of %d %v: %v", width, kind, err)
				}
				emitted, err := Emit(k, Target{Arch: "amd64", VectorBytes: 64, Fma: true})
				if err != nil {
					t.Fatal(err)
				}
				pieces := fmt.Sprintf("load <%d x", 16/kind.Size())
				if found := strings.Contains(emitted, pieces); !found && width == 8 && kind == num.F32 {
					t.Errorf("rows of %d %v are not loaded in pieces", width, kind)
				}
			}
		}
	})
}
