package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// Values of flags that cannot be meant are a wrong command line: refused at once, with what to use instead.
func TestMisuse(t *testing.T) {
	for _, line := range []string{
		"run x.gw --deadline 0", "run x.gw --deadline=-1s", "run x.gw --threads=-1", "send p.gwp --to n1 --deadline 0",
		"load f.npy --as f --deadline 0", "load f.npy --as f --replicas 0", "load f.npy --as f --shards=-1",
		"up -n 0", "up --ttl 0s", "up --restarts=-1",
	} {
		var out, errs bytes.Buffer
		words := append(strings.Fields(line), "--cluster", t.TempDir())
		if code := execute(context.Background(), words, &out, &errs); code != exitUsage || !strings.Contains(errs.String(), "  help: use ") {
			t.Errorf("%s: exit code %d, %s", line, code, errs.String())
		}
	}
}
