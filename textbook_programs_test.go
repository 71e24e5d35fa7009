package godwit_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/godwit-run/godwit"
)

// textbook is programs of testdata/textbook, as the textbook has them: with tables that are
// written element by element and without a clamped index. Each is computed in Go beside it.
var textbook = map[string]func() (godwit.Args, any){
	"bellman": func() (godwit.Args, any) {
		from, to, w := []int64{3, 0, 1, 0, 2}, []int64{2, 1, 2, 2, 3}, []int64{1, 4, -2, 5, 3}
		start := []int64{0, 1000, 1000, 1000}
		d := slices.Clone(start)
		for range d[1:] {
			for e := range from {
				d[to[e]] = min(d[to[e]], d[from[e]]+w[e])
			}
		}
		return godwit.Args{"from": from, "to": to, "w": w, "start": start}, d
	},
	"bubble":    sorted,
	"selection": sorted,
	"catalan": func() (godwit.Args, any) {
		return godwit.Args{"n": make([]int64, 8)}, []int64{1, 1, 2, 5, 14, 42, 132, 429}
	},
	"chain": func() (godwit.Args, any) {
		return godwit.Args{"p": []int64{30, 35, 15, 5, 10, 20, 25}}, int64(15125) // Cormen et al., 15.2
	},
	"cholesky": func() (godwit.Args, any) {
		l := [][]float64{{2, 0, 0}, {6, 1, 0}, {-8, 5, 3}}
		return godwit.Args{"a": times(l, transposed(l))}, l
	},
	"lu": func() (godwit.Args, any) {
		l, u := [][]float64{{1, 0, 0}, {2, 1, 0}, {4, 3, 1}}, [][]float64{{2, 1, 1}, {0, 1, 1}, {0, 0, 2}}
		both := [][]float64{{2, 1, 1}, {2, 1, 1}, {4, 3, 2}}
		return godwit.Args{"m": times(l, u)}, both
	},
	"convolve": func() (godwit.Args, any) {
		x, h := numbers(9), []int64{1, -2, 3}
		return godwit.Args{"x": x, "h": h}, convolved(x, h)[:9]
	},
	"convolvefull": func() (godwit.Args, any) {
		x, h := numbers(9), []int64{1, -2, 3}
		return godwit.Args{"x": x, "h": h}, convolved(x, h)
	},
	"counting": func() (godwit.Args, any) {
		c := make([]int64, 256)
		c['a'], c['b'], c['n'], c[255] = 3, 1, 2, 1
		return godwit.Args{"v": []byte("banana\xff")}, c
	},
	"edit": func() (godwit.Args, any) {
		return godwit.Args{"a": []byte("intention"), "b": []byte("execution")}, int64(5)
	},
	"lcs": func() (godwit.Args, any) {
		return godwit.Args{"a": []byte("ABCBDAB"), "b": []byte("BDCABA")}, int64(4)
	},
	"floyd": func() (godwit.Args, any) {
		w := [][]int64{{0, 3, 8, 900, -4}, {900, 0, 900, 1, 7}, {900, 4, 0, 900, 900}, {2, 900, -5, 0, 900}, {900, 900, 900, 6, 0}}
		return godwit.Args{"w": w}, [][]int64{{0, 1, -3, 2, -4}, {3, 0, -4, 1, -1}, {7, 4, 0, 5, 3}, {2, -1, -5, 0, -2}, {8, 5, 1, 6, 0}}
	},
	"heat3": func() (godwit.Args, any) {
		var x [4][3][5]float64
		for i := range 60 {
			x[i/15][i/5%3][i%5] = float64(i * i % 17)
		}
		y := x
		for i := 1; i < 3; i++ {
			for k := 1; k < 4; k++ {
				s := x[i-1][1][k] + x[i+1][1][k] + x[i][0][k] + x[i][2][k] + x[i][1][k-1] + x[i][1][k+1] - 6*x[i][1][k]
				y[i][1][k] = x[i][1][k] + float64(0.1*s)
			}
		}
		return godwit.Args{"x": x}, y
	},
	"horner": func() (godwit.Args, any) {
		return godwit.Args{"c": []float64{5, -3, 0, 2}, "x": 4.0}, 5.0 - 12 + 128
	},
	"integral": func() (godwit.Args, any) {
		var x [3][4]int64
		var s [4][5]int64
		for i := range s {
			for j := range s[i] {
				for k := range i * j {
					s[i][j] += int64((k/j)*4 + k%j)
				}
			}
		}
		for i := range 12 {
			x[i/4][i%4] = int64(i)
		}
		return godwit.Args{"x": x}, s
	},
	"jacobi": func() (godwit.Args, any) {
		a, b := [][]float64{{4, 1, 0}, {1, 8, 2}, {0, 2, 4}}, []float64{1, 2, 3}
		x := make([]float64, 3)
		for range 10 {
			y := make([]float64, 3)
			for i := range y {
				y[i] = b[i]
				for j := range x {
					if j != i {
						y[i] -= float64(a[i][j] * x[j])
					}
				}
				y[i] /= a[i][i]
			}
			x = y
		}
		return godwit.Args{"a": a, "b": b}, x
	},
	"kadane": func() (godwit.Args, any) {
		return godwit.Args{"x": []int64{13, -3, -25, 20, -3, -16, -23, 18, 20, -7, 12, -5, -22, 15, -4, 7}}, int64(43)
	},
	"knapsack": func() (godwit.Args, any) {
		return godwit.Args{"weight": []int64{10, 20, 30}, "value": []int64{60, 100, 120}, "room": make([]int64, 51)}, int64(220)
	},
	"life": func() (godwit.Args, any) {
		upright := [][]bool{{false, true, false}, {false, true, false}, {false, true, false}}
		return godwit.Args{"x": upright}, [][]bool{{false, false, false}, {true, true, true}, {false, false, false}}
	},
	"lis": func() (godwit.Args, any) {
		return godwit.Args{"x": []int64{0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}}, int64(6)
	},
	"lomuto": func() (godwit.Args, any) {
		x := []int64{2, 8, 7, 1, 3, 5, 6, 4}
		return godwit.Args{"v": x}, []int64{2, 1, 3, 8, 7, 5, 6, 4}
	},
	"merge": func() (godwit.Args, any) {
		a, b := []int64{-5, 0, 0, 3, 9}, []int64{-7, 0, 4, 4, 10, 11}
		return godwit.Args{"a": a, "b": b}, slices.Sorted(slices.Values(slices.Concat(a, b)))
	},
	"pascal": func() (godwit.Args, any) {
		return godwit.Args{"rows": make([]int64, 5)}, [][]int64{{1, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {1, 2, 1, 0, 0}, {1, 3, 3, 1, 0}, {1, 4, 6, 4, 1}}
	},
	"palin": func() (godwit.Args, any) { return godwit.Args{"s": []byte("reliefpfeiler")}, true },
	"reverse": func() (godwit.Args, any) {
		x := numbers(7)
		y := slices.Clone(x)
		slices.Reverse(y)
		return godwit.Args{"v": x}, y
	},
	"rod": func() (godwit.Args, any) {
		return godwit.Args{"price": []int64{1, 5, 8, 9, 10, 17, 17, 20}}, int64(22)
	},
	"seidel": func() (godwit.Args, any) {
		g := [][]float64{{8, 4, 2, 1}, {3, 0, 0, 5}, {6, 0, 0, 7}, {1, 2, 3, 4}}
		x := slices.Clone(g)
		x[1], x[2] = slices.Clone(x[1]), slices.Clone(x[2])
		for range 3 {
			for i := 1; i < 3; i++ {
				for j := 1; j < 3; j++ {
					x[i][j] = (x[i-1][j] + x[i+1][j] + x[i][j-1] + x[i][j+1]) / 4
				}
			}
		}
		return godwit.Args{"g": g}, x
	},
	"thomas": func() (godwit.Args, any) {
		a, b, c := []float64{0, 1, 2, 1}, []float64{4, 8, 4, 2}, []float64{2, 4, 1, 0}
		// Powers of two and a known solution keep every step exact.
		x := []float64{1, -2, 4, 0.5}
		d := make([]float64, 4)
		for i := range d {
			d[i] = b[i] * x[i]
			if i > 0 {
				d[i] += a[i] * x[i-1]
			}
			if i < 3 {
				d[i] += c[i] * x[i+1]
			}
		}
		return godwit.Args{"a": a, "b": b, "c": c, "d": d}, near(x)
	},
	"transpose": func() (godwit.Args, any) {
		x := [][]int64{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}
		return godwit.Args{"m": x}, [][]int64{{1, 4, 7}, {2, 5, 8}, {3, 6, 9}}
	},
}

// near is what an answer may differ from in the last digits.
type near []float64

func numbers(n int) []int64 {
	x := make([]int64, n)
	for i := range x {
		x[i] = int64(i*i*7%23) - 9
	}
	return x
}

func sorted() (godwit.Args, any) {
	x := numbers(40)
	return godwit.Args{"v": x}, slices.Sorted(slices.Values(x))
}

func transposed(a [][]float64) [][]float64 {
	b := make([][]float64, len(a[0]))
	for j := range b {
		for i := range a {
			b[j] = append(b[j], a[i][j])
		}
	}
	return b
}

func times(a, b [][]float64) [][]float64 {
	c := make([][]float64, len(a))
	for i := range c {
		c[i] = make([]float64, len(b[0]))
		for j := range c[i] {
			for k := range b {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return c
}

func convolved(x, h []int64) []int64 {
	y := make([]int64, len(x)+len(h)-1)
	for i, a := range x {
		for j, b := range h {
			y[i+j] += a * b
		}
	}
	return y
}

func TestTextbookPrograms(t *testing.T) {
	paths, err := filepath.Glob("testdata/textbook/*.gw")
	if err != nil || len(paths) != len(textbook) {
		t.Fatalf("%d programs, %d answers, %v", len(paths), len(textbook), err)
	}
	for _, path := range paths {
		name := filepath.Base(path[:len(path)-len(".gw")])
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			args, want := textbook[name]()
			testTextbook(t, fn(t, string(text)), args, want)
		})
	}
}

func testTextbook(t *testing.T, f *godwit.Func, args godwit.Args, want any) {
	t.Helper()
	for _, engine := range []string{"interp", "wasm"} {
		res, err := f.Call(t.Context(), args, godwit.WithEngine(engine))
		if err != nil {
			t.Errorf("%s: %v", engine, err)
			continue
		}
		got := reflect.New(reflect.TypeOf(want))
		if about, ok := want.(near); ok {
			x, err := godwit.As[[]float64](res)
			if err != nil || !slices.EqualFunc(x, about, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
				t.Errorf("%s: %v %v, want %v", engine, x, err, about)
			}
			continue
		}
		if err := res.Slice(got.Interface()); err != nil || !reflect.DeepEqual(got.Elem().Interface(), want) {
			t.Errorf("%s: %v %v, want %v", engine, got.Elem(), err, want)
		}
	}
}
