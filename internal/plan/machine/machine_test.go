package machine

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestCurve(t *testing.T) {
	c := Curve{{1024, Exactly(1)}, {4096, Exactly(4)}}
	for at, want := range map[float64]float64{1: 1, 1024: 1, 2048: 2, 4096: 4, 1e9: 4} {
		if got := c.At(at).P50; math.Abs(got-want) > 1e-9 {
			t.Errorf("at %v: %v, expected %v", at, got, want)
		}
	}
	if got := (Curve{}).At(5); got != (Spread{}) {
		t.Errorf("an empty curve gives %v", got)
	}
}

func TestOf(t *testing.T) {
	if got := Of([]float64{5, 1, 2, 3, 4, 6, 7, 8, 9, 10, 0}); got != (Spread{1, 5, 9}) {
		t.Errorf("%v", got)
	}
	if got := Of(nil); got != (Spread{}) {
		t.Errorf("%v", got)
	}
}

// What is written is what is read.
func TestText(t *testing.T) {
	want := Default()
	path := filepath.Join(t.TempDir(), "folder", "machine.toml")
	if err := want.Save(path); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: %+v, expected %+v", err, got, want)
	}
	if list, err := os.ReadDir(filepath.Dir(path)); err != nil || len(list) != 1 {
		t.Errorf("%v %v beside it", list, err)
	}
}

// Without a file of its own a machine is one of middling speed; a file that is named must be there.
func TestLoad(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	if m, err := Load(""); err != nil || m != Default() || m.Measured != "" {
		t.Errorf("%v %v", m, err)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.toml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	path, err := Path()
	if err != nil {
		t.Fatal(err)
	}
	if err := Default().Save(path); err != nil {
		t.Fatal(err)
	}
	if m, err := Load(""); err != nil || m == Default() || !reflect.DeepEqual(m, Default()) {
		t.Errorf("its own file: %v %v", m, err)
	}
	if err := os.WriteFile(path, []byte("processors = -5"), 0o600); err != nil {
		t.Fatal(err)
	}
	if m, err := Load(""); err != nil || m != Default() {
		t.Errorf("with a file of its own that is damaged: %v %v", m, err)
	}
	if _, err := Load(path); err == nil {
		t.Error("a damaged file that is named")
	}
}

// Errors name what is wrong.
func TestParse(t *testing.T) {
	good := string(standard)
	for _, c := range []struct{ old, new, want string }{
		{"processors = 2", "processors = 0", "processors = 0"},
		{"cycle_ns", "cycles", "cycles"},
		{"touch_ns = [", "touch_ns = [-1.0, 0.1] # ", "touch_ns"},
		{"touch_ns = [", "touch_ns = [0.1, 0.0] # ", "touch_ns"},
		{"threads = 1", "threads = -1", "threads = -1"},
		{"read = [[262144.0,", "read = [[-1.0,", "read, row 1"},
		{"chase = [[", "chase = []\nwide = [[", "wide"},
		{"[engine.wasm]", "[engine.gpu]", "the engines are wasm and native"},
		{"vector_bytes = 16", "vector_bytes = 17", "vector_bytes = 17"},
		{"error = ", "error = 0.5 #", "error of at least 1"},
		{"vector_bytes = 16", "kept_ns = -1.0\nvector_bytes = 16", "kept_ns of at least 0"},
		{"random = 1.6", "random = -1.0", "random = -1"},
		{"processors = 2", "processors = \"two\"", "processors"},
		{"[engine.native.class_ns]", "[engine.native.off]\nsteady = [1.5, 2.0]\n[engine.native.class_ns]", "off.steady"},
		{"[engine.native.class_ns]", "[engine.native.off]\nsometimes = [0.5, 2.0]\n[engine.native.class_ns]", "off.sometimes"},
		{"[[memory]]", "[decode_ns]\ncsvx = [1.0, 2.0]\n[[memory]]", "csvx"},
		{"[[memory]]", "[decode_ns]\n\"parquet zstd\" = [0.0, 2.0]\n[[memory]]", "parquet zstd"},
		{"copy = [[", "copy = [[-1.0, 1.0, 1.0, 1.0], [", "copy, row 1"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Errorf("%q is not in the text", c.old)
			continue
		}
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.new, err, c.want)
		}
	}
	if _, err := Parse(nil); err == nil {
		t.Error("nothing is a machine")
	}
}

// What was measured of intervals and copies is read back; what was not follows from what is like it.
func TestMeasured(t *testing.T) {
	text, err := Default().Text()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	e := m.Engines["wasm"]
	if off := e.Within(Guessed); math.Abs(off[1]-e.Error*e.Error) > 1e-9 || math.Abs(off[0]*off[1]-1) > 1e-9 {
		t.Errorf("what is guessed lies within %v, the error is %v", off, e.Error)
	}
	if native := m.Engines["native"]; native.Kept <= 0 || native.Kept > native.Compile/8 || e.Kept != 0 {
		t.Errorf("native code on disk takes %v where it takes %v to be made, and WebAssembly, which lies on none, %v", native.Kept, native.Compile, e.Kept)
	}
	e.Off = map[string][2]float64{Steady: {0.5, 3}, Same: {0.9, 1.1}, Half: {0.8, 1.2}, Eighth: {0.5, 1.5}}
	x := m.Memory[1]
	x.Copy, x.Whole = Curve{{1000, Exactly(1)}}, Curve{{1000, Exactly(2)}}
	m.Memory[1] = x
	if text, err = m.Text(); err != nil {
		t.Fatal(err)
	}
	got, err := Parse(text)
	if err != nil || !reflect.DeepEqual(got, m) {
		t.Fatalf("%v: %+v, expected %+v", err, got, m)
	}
	e = got.Engines["wasm"]
	if e.Within(Steady) != [2]float64{0.5, 3} || e.Away(0) != [2]float64{0.9, 1.1} || e.Away(9) != [2]float64{0.5, 1.5} {
		t.Errorf("%v %v %v", e.Within(Steady), e.Away(0), e.Away(9))
	}
	if one := e.Away(1); math.Abs(one[0]-0.8) > 1e-9 || math.Abs(one[1]-1.2) > 1e-9 {
		t.Errorf("at half the size %v", one)
	}
}

// Huge pages are asked for where they were measured to be quicker.
func TestHugePages(t *testing.T) {
	for _, c := range []struct {
		touch [2]float64
		huge  bool
	}{{[2]float64{}, false}, {[2]float64{0.7, 0.2}, true}, {[2]float64{0.2, 0.7}, false}} {
		m := *Default()
		m.Touch = c.touch
		text, err := m.Text()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Parse(text); err != nil || got.Touch != c.touch || got.HugePages() != c.huge {
			t.Errorf("touch_ns = %v: %v, %v", c.touch, got, err)
		}
	}
}

// TestTrial: what is interpreted takes as long as code, of large kernels less, and never for ever.
func TestTrial(t *testing.T) {
	m := *Default()
	steps, making := m.Trial(25)
	if e := m.Engines["wasm"]; math.Abs(float64(steps)*m.Interpret/e.Compile-1) > 0.01 || math.Abs(float64(making)/e.Compile-1) > 0.01 {
		t.Errorf("%d steps in %v, to make code takes %v", steps, making, e.Compile)
	}
	if large, _ := m.Trial(100_000); large > 10*steps {
		t.Errorf("%d steps of a large kernel, %d of one of calibration", large, steps)
	}
	m.Interpret = 1e-300
	if steps, _ := m.Trial(25); steps != 1<<40 {
		t.Errorf("%d steps that take no time", steps)
	}
	m.Engines = nil
	if steps, making := m.Trial(25); steps != 0 || making != 0 {
		t.Errorf("%d steps in %v where WebAssembly was not measured", steps, making)
	}
}
