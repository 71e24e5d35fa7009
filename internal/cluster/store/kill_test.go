package store

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"
)

// asWriter names the directory in which a process of this test stores shards
// until it is killed.
const asWriter = "GODWIT_TEST_STORE"

// writeForever seals and drops shards, and says which is sealed for good: the
// even ones.
func writeForever(t *testing.T, dir string) {
	s := open(t, dir, Options{})
	os.Stdout.WriteString("ready\n")
	for i := uint32(0); ; i++ {
		f, b := numbers(t, 1, i, 0, 1000)
		for at := 0; at < len(b); at += 1000 {
			check(t, s.Put(Itself, f, int64(at), b[at:min(at+1000, len(b))]))
		}
		check(t, s.Seal(f))
		if i%2 == 1 {
			check(t, s.Drop(1, i))
			continue
		}
		os.Stdout.Write([]byte{byte('0' + i/2%10), '\n'})
	}
}

// A process is killed at any moment: what it said to have sealed is there and right,
// what was half done is gone.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(asWriter); dir != "" {
		writeForever(t, dir)
	}
	dir := t.TempDir()
	for round := range 8 {
		sealed := killAfter(t, dir, time.Duration(3+25*round)*time.Millisecond)
		s := open(t, dir, Options{Verify: true})
		if len(s.Damaged()) != 0 {
			t.Fatalf("damaged: %+v", s.Damaged())
		}
		var even []File
		for _, f := range s.Shards() {
			if f.Shard%2 == 0 {
				even = append(even, f)
			}
		}
		if len(even) < sealed {
			t.Errorf("%d shards were sealed, %d are there", sealed, len(even))
		}
		if left, _ := os.ReadDir(s.uploadDir()); len(left) != 0 {
			t.Errorf("uploads are left: %v", left)
		}
		for _, f := range slices.Backward(s.Shards()) {
			check(t, s.Drop(f.Set, f.Shard))
		}
		check(t, s.Close())
	}
}

// killAfter runs a writer for a time after it has begun, and counts what it
// said.
func killAfter(t *testing.T, dir string, d time.Duration) int {
	cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$", "-test.timeout=30s")
	cmd.Env = append(os.Environ(), asWriter+"="+dir)
	out, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	defer cmd.Wait()
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("the writer did not begin: %s", lines.Text())
	}
	time.AfterFunc(d, func() { cmd.Process.Kill() })
	said := 0
	for lines.Scan() {
		said++
	}
	t.Logf("killed after %v with %d shards sealed", d, said)
	return said
}
