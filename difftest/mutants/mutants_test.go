package mutants

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// slice is what every test run takes, always the same.
const slice = 1000

var (
	count   = flag.Int("mutants", slice, "mutants to make")
	minutes = flag.Float64("minutes", 0, "go on for so long, instead")
	seed    = flag.Uint64("seed", 0, "of the first batch; 0 means the time, or for the usual number of mutants always the same")
	keep    = flag.String("keep", "", "folder for what is found (default one in the temporary folder)")
)

func TestMain(m *testing.M) {
	was, err := Child()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if was {
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// perBatch is how many mutants a child makes.
const perBatch = 3000

func TestMutants(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/*.gw")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	dir := *keep
	if dir == "" {
		if dir, err = os.MkdirTemp("", "godwit-mutants-"); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if !t.Failed() {
				_ = os.RemoveAll(dir)
			}
		}()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	first, end := start(), time.Now().Add(time.Duration(*minutes*float64(time.Minute)))
	t.Logf("seed %d: repeat with -seed %d", first, first)
	sum, left := &Tally{}, *count
	for i := uint64(0); *minutes > 0 && time.Now().Before(end) || *minutes == 0 && left > 0; i++ {
		b := &Batch{Seed: first + i, Mutants: perBatch, Files: files, Random: 30, Dir: dir}
		if *minutes == 0 {
			b.Mutants = min(left, perBatch)
		}
		left -= b.Mutants
		got, err := b.Run()
		if err != nil {
			t.Fatal(err)
		}
		if sum.Add(got); got.Findings > 0 {
			t.Errorf("seed %d: %v; see %s", b.Seed, got.ByFinding, dir)
		}
		if *minutes > 0 && i%10 == 9 {
			t.Logf("%v: %v", time.Now().Format(time.TimeOnly), sum)
		}
	}
	t.Log(sum)
	if *count >= slice && (sum.Verified < sum.Mutants/20 || sum.Runs < sum.Verified/2 || sum.Relays == 0) {
		t.Errorf("too few mutants are verified and run to say anything: %v", sum)
	}
}

func start() uint64 {
	switch {
	case *seed != 0:
		return *seed
	case *minutes == 0 && *count == slice:
		return 20261122
	}
	return uint64(time.Now().UnixNano()) % 1_000_000
}
