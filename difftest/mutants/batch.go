package mutants

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/kernel/kerneltest"
)

// Batch is what one child process does.
type Batch struct {
	Seed    uint64
	Mutants int
	Files   []string // programs
	Random  int      // programs to make up
	Dir     string   // gets what is running, and what was found
}

// batchVariable holds the batch of a child, as JSON.
const batchVariable = "GODWIT_MUTANTS_BATCH"

// running is the file with what a child was about to do when it ended.
const running = "running.txt"

// limit is how long a batch may take: a kernel that never ends is found by it.
const limit = 10 * time.Minute

// Child runs the batch that the environment asks for, if it asks for one.
func Child() (was bool, err error) {
	text := os.Getenv(batchVariable)
	if text == "" {
		return false, nil
	}
	var b Batch
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		return true, err
	}
	good, err := Seeds(b.Files, int(b.Seed)*b.Random, b.Random)
	if err != nil {
		return true, err
	}
	l, err := newLab(b.Seed, good)
	if err != nil {
		return true, err
	}
	var failed error
	l.note = func(k *kernel.Kernel, c *kerneltest.Case) {
		failed = errors.Join(failed, write(filepath.Join(b.Dir, running), "", k, c))
	}
	l.found = func(k *kernel.Kernel, c *kerneltest.Case, err error) {
		name := fmt.Sprintf("found-%d-%d.txt", b.Seed, l.Findings)
		failed = errors.Join(failed, write(filepath.Join(b.Dir, name), err.Error(), k, c))
	}
	for range b.Mutants {
		if l.next(); failed != nil {
			return true, failed
		}
	}
	return true, json.NewEncoder(os.Stdout).Encode(&l.Tally)
}

// write leaves a kernel and its arguments as text, with its bytes in hexadecimal.
func write(file, why string, k *kernel.Kernel, c *kerneltest.Case) error {
	var t strings.Builder
	b, err := kernel.Encode(k)
	if err != nil {
		return err
	}
	fmt.Fprintf(&t, "%s\n%s\nsizes %v scalars %v outer %d\n", why, kernel.Text(k), c.Sizes, c.Scalars, c.Outer)
	for i, r := range c.Regions {
		fmt.Fprintf(&t, "r%d % x\n", i, r[:min(len(r), 2048)])
	}
	fmt.Fprintf(&t, "bytes %s\n", hex.EncodeToString(b))
	return os.WriteFile(file, []byte(t.String()), 0o600)
}

// Run does a batch in a child. A child that ends before it is done is a finding, too.
func (b *Batch) Run() (*Tally, error) {
	text, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), batchVariable+"="+string(text))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return b.died(err, stderr.String())
	}
	t := &Tally{}
	return t, json.Unmarshal(stdout.Bytes(), t)
}

func (b *Batch) died(why error, stderr string) (*Tally, error) {
	last, err := os.ReadFile(filepath.Join(b.Dir, running))
	if err != nil {
		return nil, fmt.Errorf("a batch did not begin: %w: %s", why, stderr)
	}
	text := fmt.Sprintf("the process that ran this ended: %v\n%s\n%s", why, last, stderr[:min(len(stderr), 8000)])
	name := filepath.Join(b.Dir, fmt.Sprintf("died-%d.txt", b.Seed))
	return &Tally{Findings: 1, ByFinding: map[string]int{"died": 1}}, os.WriteFile(name, []byte(text), 0o600)
}
