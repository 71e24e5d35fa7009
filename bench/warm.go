package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/godwit-run/godwit/internal/engine"
)

// compilerChild is the argument with which this program is the process that
// compiles with LLVM.
const compilerChild = "compile-for-bench"

// child is the command line of that process.
func child() []string {
	self, err := os.Executable()
	if err != nil {
		return nil // what comes of it is told with the rows
	}
	return []string{self, compilerChild}
}

// isChild reports that this is that process.
func isChild() bool { return len(os.Args) == 2 && os.Args[1] == compilerChild }

// patience is how long to wait for native code.
func (c choices) patience() time.Duration {
	if c.wasm {
		return 0
	}
	return 2 * time.Second
}

// warm runs a program until the kernels in which it spends its time are native,
// or will not become so, at least twice, and no longer than wait. It gives
// the tier on which they are then, and why that is not Native.
func (p *prepared) warm(ctx context.Context, pool *engine.Pool, wait time.Duration) (tier engine.Tier, why error, err error) {
	start := time.Now()
	for turn := 1; ; turn++ {
		if _, err := p.run(ctx, pool); err != nil {
			return "", nil, err
		}
		tier, why = p.tier()
		if turn >= 2 && (tier == engine.Native || why != nil) {
			return tier, why, nil
		}
		if turn >= 2 && time.Since(start) > wait {
			return tier, fmt.Errorf("no native code within %s", wait), nil
		}
	}
}

// tier is Native if all kernels are that take at least one of ten thousand steps, as a transposition before a product does; the
// others may be too small for native code.
func (p *prepared) tier() (engine.Tier, error) {
	total := int64(0)
	for _, l := range p.launches {
		total += l.c.Safe.Cost(l.sizes).Steps
	}
	for _, l := range p.launches {
		if t := l.c.Tier(); t != engine.Native && l.c.Safe.Cost(l.sizes).Steps >= total/10_000 {
			return t, l.c.Unpromoted()
		}
	}
	return engine.Native, nil
}
