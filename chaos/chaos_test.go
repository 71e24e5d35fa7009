package chaos

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// slice is how long every test run suffers.
const slice = 60 * time.Second

var (
	duration = flag.Duration("duration", slice, "how long faults happen")
	seed     = flag.Uint64("seed", 0, "what happens when, and to whom; 0 means the time, or for the usual duration always the same")
	clients  = flag.Int("clients", 2, "calls at the same time")
	some     = flag.String("faults", "", "names of the faults to make, by commas (default all)")
	keep     = flag.String("keep", "", "folder for what the run leaves (default one in the temporary folder, which is kept if the run fails)")
)

// godwit is the binary to run: the one that GODWIT names, or one that is built.
func godwit(t *testing.T, dir string) string {
	if path := os.Getenv("GODWIT"); path != "" {
		return path
	}
	path := filepath.Join(dir, "godwit")
	cmd := exec.Command("go", "build", "-o", path, "github.com/godwit-run/godwit/cmd/godwit")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

func TestChaos(t *testing.T) {
	dir := *keep
	var err error
	if dir == "" {
		if dir, err = os.MkdirTemp("", "godwit-chaos-"); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if !t.Failed() {
				_ = os.RemoveAll(dir)
			}
		}()
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		t.Fatal(err)
	}
	cfg := Config{Godwit: godwit(t, dir), Dir: dir, Seed: *seed, Duration: *duration, Clients: *clients}
	if cfg.Seed == 0 && cfg.Duration == slice {
		cfg.Seed = 20261122
	} else if cfg.Seed == 0 {
		cfg.Seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	if *some != "" {
		cfg.Faults = strings.Split(*some, ",")
	}
	t.Logf("seed %d: repeat with -seed %d; log %s", cfg.Seed, cfg.Seed, filepath.Join(dir, "log"))
	r, err := Run(t.Context(), cfg)
	if err != nil {
		t.Fatalf("%v; see %s", err, dir)
	}
	t.Log(r)
	for _, f := range r.Findings {
		t.Error(f)
	}
	if t.Failed() {
		t.Logf("what is left of the run is in %s", dir)
	}
}

// TestDisksCanBeFull makes it known when chaos does without full disks.
func TestDisksCanBeFull(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("SKIPPED: chaos fills no disk, for a tmpfs cannot be mounted here: %v", err)
	}
	if err := unix.Unmount(dir, 0); err != nil {
		t.Error(err)
	}
}
