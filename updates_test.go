package godwit_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
)

// sequence is the one that updates.c fills the same arguments from.
type sequence uint64

func (s *sequence) below(n uint64) uint64 {
	*s = *s*6364136223846793005 + 1442695040888963407
	return uint64(*s) >> 33 % n
}

func drawn[T int64 | int32 | uint8](s *sequence, n int64, below uint64) []T {
	v := make([]T, n)
	for i := range v {
		v[i] = T(s.below(below))
	}
	return v
}

// update is a program of testdata/updates.
type update struct {
	name        string
	small, full [2]int64
	args        func(s *sequence, n, m int64) godwit.Args
	want        func(a godwit.Args, n, m int64) int64
}

var updates = []update{
	{"coins", [2]int64{700}, [2]int64{200_000}, coinArgs, waysByRecursion},
	{"coinsget", [2]int64{700}, [2]int64{200_000}, coinArgs, waysByRecursion},
	{"union", [2]int64{500, 450}, [2]int64{1 << 20, 1 << 20}, edgeArgs, partsBySearch},
	{"levenshtein", [2]int64{40, 31}, [2]int64{5000, 5000}, textArgs, distanceByRecursion},
	{"lcs", [2]int64{40, 31}, [2]int64{5000, 5000}, textArgs, commonByRecursion},
	{"sieve", [2]int64{3000}, [2]int64{10_000_000}, sizeArgs, primesByDivision},
	{"insertion", [2]int64{400}, [2]int64{20_000}, sortArgs, sortedByGo},
	{"scatter", [2]int64{3000}, [2]int64{1_000_000}, sizeArgs, func(godwit.Args, int64, int64) int64 { return 1 }},
}

func coinArgs(_ *sequence, n, _ int64) godwit.Args {
	return godwit.Args{"coins": []int64{1, 2, 5, 10, 20, 50, 100, 200}, "T": n}
}

func edgeArgs(s *sequence, n, m int64) godwit.Args {
	a := drawn[int64](s, m, uint64(n))
	return godwit.Args{"a": a, "b": drawn[int64](s, m, uint64(n)), "N": n}
}

func textArgs(s *sequence, n, m int64) godwit.Args {
	a := drawn[uint8](s, n, 4)
	return godwit.Args{"a": a, "b": drawn[uint8](s, m, 4)}
}

func sizeArgs(_ *sequence, n, _ int64) godwit.Args { return godwit.Args{"N": n} }

func sortArgs(s *sequence, n, _ int64) godwit.Args {
	return godwit.Args{"v": drawn[int32](s, n, 1<<30)}
}

func waysByRecursion(a godwit.Args, n, _ int64) int64 {
	coins, known := a["coins"].([]int64), map[[2]int64]int64{}
	var ways func(left, kinds int64) int64
	ways = func(left, kinds int64) int64 {
		if left == 0 {
			return 1
		}
		if left < 0 || kinds == 0 {
			return 0
		}
		key := [2]int64{left, kinds}
		if _, ok := known[key]; !ok {
			known[key] = ways(left, kinds-1) + ways(left-coins[kinds-1], kinds)
		}
		return known[key]
	}
	return ways(n, int64(len(coins)))
}

func partsBySearch(a godwit.Args, n, m int64) (parts int64) {
	next, seen := make([][]int64, n), make([]bool, n)
	x, y := a["a"].([]int64), a["b"].([]int64)
	for e := range m {
		next[x[e]], next[y[e]] = append(next[x[e]], y[e]), append(next[y[e]], x[e])
	}
	for i := range n {
		if seen[i] {
			continue
		}
		parts++
		for todo := []int64{i}; len(todo) > 0; {
			v := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if !seen[v] {
				seen[v], todo = true, append(todo, next[v]...)
			}
		}
	}
	return parts
}

// byRecursion computes a function of two prefixes.
func byRecursion(a godwit.Args, f func(i, j int64, same bool, at func(i, j int64) int64) int64) int64 {
	x, y := a["a"].([]uint8), a["b"].([]uint8)
	known := map[[2]int64]int64{}
	var at func(i, j int64) int64
	at = func(i, j int64) int64 {
		key := [2]int64{i, j}
		if _, ok := known[key]; !ok {
			known[key] = f(i, j, i > 0 && j > 0 && x[max(i-1, 0)] == y[max(j-1, 0)], at)
		}
		return known[key]
	}
	return at(int64(len(x)), int64(len(y)))
}

func distanceByRecursion(a godwit.Args, _, _ int64) int64 {
	return byRecursion(a, func(i, j int64, same bool, at func(i, j int64) int64) int64 {
		switch {
		case i == 0 || j == 0:
			return i + j
		case same:
			return at(i-1, j-1)
		}
		return 1 + min(at(i-1, j-1), at(i-1, j), at(i, j-1))
	})
}

func commonByRecursion(a godwit.Args, _, _ int64) int64 {
	return byRecursion(a, func(i, j int64, same bool, at func(i, j int64) int64) int64 {
		switch {
		case i == 0 || j == 0:
			return 0
		case same:
			return at(i-1, j-1) + 1
		}
		return max(at(i-1, j), at(i, j-1))
	})
}

func primesByDivision(_ godwit.Args, n, _ int64) (primes int64) {
	for i := int64(2); i < n; i++ {
		prime := true
		for d := int64(2); d < i; d++ {
			prime = prime && i%d != 0
		}
		if prime {
			primes++
		}
	}
	return primes
}

func sortedByGo(a godwit.Args, _, _ int64) int64 {
	return digest(slices.Sorted(slices.Values(a["v"].([]int32))))
}

// digest is the number that a sorted array is compared by.
func digest(v []int32) int64 {
	return int64(v[0]) + 3*int64(v[len(v)/2]) + 5*int64(v[len(v)-1])
}

func (u update) function(t testing.TB) *godwit.Func {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "updates", u.name+".gw"))
	if err != nil {
		t.Fatal(err)
	}
	return fn(t, string(text))
}

func (u update) answer(t testing.TB, r *godwit.Result) int64 {
	t.Helper()
	if u.name == "insertion" {
		v, err := godwit.As[[]int32](r)
		if err != nil {
			t.Fatal(err)
		}
		return digest(v)
	}
	text := string(r.JSON())
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	n, err := strconv.ParseUint(text, 10, 64) // C prints the bits as int64
	if err != nil {
		t.Fatal(err)
	}
	return int64(n)
}

// TestUpdates computes small cases of each program in another way.
func TestUpdates(t *testing.T) {
	for _, u := range updates {
		s := sequence(1)
		args := u.args(&s, u.small[0], u.small[1])
		f, want := u.function(t), u.want(args, u.small[0], u.small[1])
		for _, engine := range []string{"interp", "wasm"} {
			r, err := f.Call(t.Context(), args, godwit.WithEngine(engine))
			if err != nil {
				t.Fatalf("%s: %s: %v", u.name, engine, err)
			}
			if got := u.answer(t, r); got != want {
				t.Errorf("%s: %s gives %d, want %d", u.name, engine, got, want)
			}
		}
	}
}

// againstC is how often a program takes turns with C.
const againstC = 15

// BenchmarkUpdatesAgainstC takes turns with C. Both sides are timed by the
// processor's clock, which other processes disturb less than the wall's.
func BenchmarkUpdatesAgainstC(t *testing.B) {
	c := startC(t)
	for _, native := range []bool{false, true} {
		for _, u := range updates {
			u.contest(t, c, native)
		}
	}
}

// peer is the programs in C.
type peer struct {
	in  io.Writer
	out *bufio.Reader
}

func startC(t testing.TB) *peer {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "updates")
	if text, err := exec.Command("gcc", "-O3", "-march=native", "-o", bin, "testdata/updates/updates.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	cmd := exec.CommandContext(t.Context(), bin)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return &peer{in, bufio.NewReader(out)}
}

func (p *peer) run(t testing.TB, u update) (result int64, cpu time.Duration) {
	t.Helper()
	var wall time.Duration
	fmt.Fprintln(p.in, u.name, u.full[0], u.full[1])
	if _, err := fmt.Fscan(p.out, &result, &wall, &cpu); err != nil {
		t.Fatal(err)
	}
	return result, cpu
}

func (u update) contest(t testing.TB, c *peer, native bool) {
	s := sequence(1)
	args, f := u.args(&s, u.full[0], u.full[1]), u.function(t)
	engine, options := "wasm", []godwit.Option{}
	if native {
		engine, options = "native", append(options, godwit.WithCompiler(t.TempDir(), "/usr/bin/env", compilerChild+"=1", os.Args[0]))
	}
	r := godwit.NewRuntime(options...)
	defer r.Close()
	var ours, theirs, ratios []float64
	for i := range againstC + 1 {
		start, wall := processorTime(), time.Now()
		res, err := f.Call(t.Context(), args, godwit.WithRuntime(r), godwit.WithEngine(engine))
		if err != nil {
			t.Fatalf("%s: %v", u.name, err)
		}
		mine := processorTime() - start
		if i == 0 {
			t.Logf("%-12s %-6s first call, with compiling: %v", u.name, engine, time.Since(wall).Round(time.Millisecond))
		}
		want, other := c.run(t, u)
		if got := u.answer(t, res); got != want {
			t.Fatalf("%s gives %d, C %d", u.name, got, want)
		}
		if i > 0 {
			ours, theirs, ratios = append(ours, mine.Seconds()), append(theirs, other.Seconds()), append(ratios, other.Seconds()/mine.Seconds())
		}
	}
	for _, list := range [][]float64{ours, theirs, ratios} {
		slices.Sort(list)
	}
	k := len(ratios) / 2
	t.Logf("%-12s %-6s %8.2f ms, C %8.2f ms, ratio %.2f (%.2f … %.2f)", u.name, engine, ours[k]*1e3, theirs[k]*1e3, ratios[k], ratios[0], ratios[len(ratios)-1])
}

// processorTime is what this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
