package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestARM64Packages sends the examples' packages to four nodes of this machine's
// instruction set and one of another. Each package is in another form, so that LLVM
// compiles for the emulated node in both of its ways and what clang made is linked there.
func TestARM64Packages(t *testing.T) {
	if _, err := exec.LookPath("clang-19"); err != nil {
		t.Skip("SKIPPED: clang-19 is not installed (Debian: clang-19)")
	}
	needEmulatedLLVM(t)
	dir := t.TempDir()
	program := emulated(t, dir)
	names := []string{"n1", "n2", "n3", "n4", "arm"}
	var hosts []string
	for _, n := range names {
		hosts = append(hosts, n+"=127.0.0.1")
	}
	b := newByHand(t, dir, hosts...)
	for _, n := range names[:4] {
		b.node(t, n, nil, "--native")
	}
	b.node(t, "arm", program, "--native", "--unconfined") // the emulator has no seccomp
	b.await(t, len(names))
	b.godwit(t, "keygen", "ci")
	b.godwit(t, "trust", "add", "ci.pub")
	for name, form := range map[string]string{"counter": "bitcode", "chaser": "optimised", "dispatch": "object"} {
		b.godwit(t, "cc", example(t, name+"/"+name+".c"), "-o", name+".gwp", "--targets", "x86_64,aarch64", "--form", form, "--key", "ci.key")
	}
	t.Run("counter", func(t *testing.T) { b.count(t, names) })
	t.Run("chaser", func(t *testing.T) { b.chase(t) })
	t.Run("dispatch", func(t *testing.T) { b.dispatch(t, names) })
}

// send is godwit send --json of a package, with its reply as a number.
func (b *byHand) send(t *testing.T, name, to string, flags ...string) (sent, uint64) {
	t.Helper()
	out := b.godwit(t, append([]string{"send", name + ".gwp", "--to", to, "--as", "u64", "--json", "--deadline", "60s"}, flags...)...)
	var s sent
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	n, err := strconv.ParseUint(s.Reply, 10, 64)
	if err != nil {
		t.Fatalf("%s on %s: the reply is no number: %s", name, to, out)
	}
	return s, n
}

// again sends a package that the node has: nothing of it may travel.
func (b *byHand) again(t *testing.T, name, to string, flags ...string) (sent, uint64) {
	t.Helper()
	s, n := b.send(t, name, to, flags...)
	if s.CodeBytes != 0 {
		t.Errorf("%s, sent to %s again: %d bytes of code", name, to, s.CodeBytes)
	}
	return s, n
}

// add is what a counter is told to add.
func add(n uint64) []string {
	return []string{"--region", "counter:8:rw", "--payload", fmt.Sprintf("0x%02x00000000000000", n)}
}

// count adds to the counter of each node.
func (b *byHand) count(t *testing.T, names []string) {
	for _, n := range names {
		first, got := b.send(t, "counter", n, add(5)...)
		if first.Node != n || first.CodeBytes == 0 || got != 5 {
			t.Errorf("the first time on %s: %+v", n, first)
		}
		if s, got := b.again(t, "counter", n, add(37)...); s.Node != n || got != 42 {
			t.Errorf("the second time on %s: %+v", n, s)
		}
		t.Logf("%s, the first time: transmit %d, link %d, compile %d, run %d µs", n, first.Transmit, first.Link, first.Compile, first.Run)
	}
}

// chase follows a table of five shards, one of which is the emulated node's, and
// compares with a program.
func (b *byHand) chase(t *testing.T) {
	const rows, shards, steps = 100_000, 5, 400
	write(t, filepath.Join(b.dir, "wide.gw"), "fn wide(x: &[u32; N]) -> [i64; N] { x.map(|e| e as i64) }\n")
	b.godwit(t, "generate", "cycle", "next.npy", fmt.Sprint(rows))
	b.godwit(t, "run", "wide.gw", "x=next.npy", "--out", "table.npy")
	b.godwit(t, "load", "table.npy", "--as", "table", "--shards", fmt.Sprint(shards), "--by", "rows")
	owners := make([]string, shards)
	runs := func() (n int64) {
		for name, s := range b.status(t) {
			for _, h := range s.Report.Shards {
				if h.Rows != rows/shards {
					t.Fatalf("shard %d has %d rows, expected %d", h.Shard, h.Rows, rows/shards)
				}
				owners[h.Shard] = fmt.Sprint(s.Report.Peer)
			}
			if name == "arm" {
				n = s.Report.Core.In["send"]
			}
		}
		return n
	}
	before := runs()
	write(t, filepath.Join(b.dir, "climb.gw"), `fn climb(next: &[idx<N>; N], start: idx<N>, steps: u32) -> idx<N>
where N: Range<1, 1_000_000_000>, steps: Range<0, 4096>
{
    let mut i = start;
    for _ in 0..steps { i = next[i]; }
    i
}
`)
	for turn, start := range []int{0, 77_777} {
		want := strings.TrimSpace(b.godwit(t, "run", "climb.gw", "next=table.npy", fmt.Sprint("start=", start), fmt.Sprint("steps=", steps)))
		want, _, _ = strings.Cut(want, "\n")
		args := fmt.Sprintf("%d %d %d %s", start, steps, rows/shards, strings.Join(owners, " "))
		flags := []string{"--args", "--payload", args, "--data", "table=@table"}
		send := b.send
		if turn > 0 {
			send = b.again
		}
		s, got := send(t, "chaser", "arm", flags...)
		if fmt.Sprint(got) != want || s.Hops < steps/2 {
			t.Errorf("from %d: arrived at %d after %d hops, godwit run at %s", start, got, s.Hops, want)
		}
		t.Logf("from %d: %d after %d hops, %d µs", start, got, s.Hops, s.Total)
	}
	if n := runs() - before; n < steps/shards {
		t.Errorf("only %d of the parcels came by the arm64 node", n)
	}
}

// dispatch has one package start another on all nodes, the emulated one included. The
// counters reply to the same request, and the first reply is given, so what counts is
// where they stand in the end.
func (b *byHand) dispatch(t *testing.T, names []string) {
	if s, _ := b.send(t, "dispatch", "n2", add(1)...); s.CodeBytes == 0 {
		t.Errorf("the first time: %+v", s)
	}
	b.again(t, "dispatch", "n2", add(2)...)
	b.send(t, "dispatch", "arm", add(4)...)
	for _, n := range names {
		var got uint64
		for end := time.Now().Add(settleLimit); got != 42+7 && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			_, got = b.again(t, "counter", n, add(0)...)
		}
		if got != 42+7 {
			t.Errorf("the counter of %s is %d, expected %d", n, got, 42+7)
		}
	}
}
