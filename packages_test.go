package godwit_test

import (
	"bufio"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/packages/cc"
	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// native starts nodes that run packages, and connects.
func native(t *testing.T, nodes string) *godwit.Cluster {
	t.Helper()
	dir := t.TempDir()
	bin := filepath.Join(dir, "godwit")
	if out, err := exec.Command("go", "build", "-o", bin, "./cmd/godwit").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	site, opt := filepath.Join(dir, "c"), godwit.ConnectOptions{Admin: true, Children: site.Children{Worker: []string{bin, "worker-child"}}}
	up := exec.Command(bin, "up", "-n", nodes, "--native", "--memory", "--cluster", site)
	up.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	out, err := up.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := up.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = up.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = up.Wait()                          // with the signal's code
	})
	late := time.AfterFunc(time.Minute, func() { _ = up.Process.Kill() }) // ends the line, too
	line, err := bufio.NewReader(out).ReadString('\n')
	if late.Stop(); err != nil || !strings.Contains(line, "ready") {
		t.Fatalf("the nodes did not start: %s (%v)", line, err)
	}
	c, err := godwit.Connect(t.Context(), site, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return c
}

// built is an example's package, signed.
func built(t *testing.T, name string, key ed25519.PrivateKey) []byte {
	t.Helper()
	b, err := cc.Build(t.Context(), cc.Options{Name: name, Sources: []string{filepath.Join("examples", name, name+".c")},
		Targets: []cc.Target{{Arch: runtime.GOARCH}}, Form: pack.Object})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Package.Sign(key); err != nil {
		t.Fatal(err)
	}
	bytes, err := pack.Encode(b.Package)
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

func TestSend(t *testing.T) {
	if !cc.Found() {
		t.Skip("SKIPPED: clang-19 is not installed (Debian: clang-19)")
	}
	c := native(t, "2")
	key, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	pkg := built(t, "counter", private)
	opt := godwit.SendOptions{Grants: []godwit.Grant{{Name: "counter", Bytes: 8, Write: true}}, Deadline: 20 * time.Second}
	add := func(node string, n uint64) (*godwit.Reply, error) {
		return c.Send(t.Context(), pkg, node, binary.LittleEndian.AppendUint64(nil, n), opt)
	}
	refused := func(what, node, want string) {
		t.Helper()
		var bad *godwit.InputError
		if r, err := add(node, 1); !errors.As(err, &bad) || !strings.Contains(bad.Text, want) {
			t.Errorf("%s: got %+v, %v, expected an InputError about %q", what, r, err, want)
		}
	}
	refused("nobody is trusted", "n1", "signed by a key that is not trusted")
	if _, err := c.Trust(t.Context(), func(l trust.List) (trust.List, error) { return l.Add("ci", key) }); err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint64{5, 10} {
		r, err := add("n2", 5)
		if err != nil {
			t.Fatal(err)
		}
		if got := binary.LittleEndian.Uint64(r.Bytes); got != want || r.Node != "n2" || (r.CodeBytes == 0) != (i > 0) {
			t.Errorf("call %d: got %d, expected %d: %+v", i, got, want, r)
		}
	}
	refused("no such node", "n3", "no node n3 is alive")
	chase(t, c, built(t, "chaser", private))
	if _, err := c.Trust(t.Context(), func(l trust.List) (trust.List, error) { return l.RevokeKey(key) }); err != nil {
		t.Fatal(err)
	}
	// Nodes hear of it within moments.
	for end := time.Now().Add(time.Minute); err == nil && time.Now().Before(end); {
		_, err = add("n2", 0)
	}
	if err == nil || !strings.Contains(err.Error(), "was revoked") {
		t.Errorf("after the key was revoked: %v", err)
	}
}

// chase has the package make its payload of arguments, here.
func chase(t *testing.T, c *godwit.Cluster, pkg []byte) {
	t.Helper()
	table := filepath.Join(t.TempDir(), "table.npy")
	npy := fmt.Sprintf("\x93NUMPY\x01\x00\x76\x00%-117s\n", "{'descr': '<i8', 'fortran_order': False, 'shape': (4,), }")
	for _, next := range []uint64{3, 0, 1, 2} {
		npy += string(binary.LittleEndian.AppendUint64(nil, next))
	}
	if err := os.WriteFile(table, []byte(npy), 0o666); err != nil {
		t.Fatal(err)
	}
	stored(t, c, table, "table", godwit.LoadOptions{Shards: 1})
	owner := c.View().Sets[0].Shards[0].Replicas[0]
	args := fmt.Sprintf("2 3 4 %d", owner) // three steps from 2, in a table of 4 rows
	r, err := c.Send(t.Context(), pkg, fmt.Sprint(owner), []byte(args), godwit.SendOptions{Args: true, Grants: []godwit.Grant{{Name: "table", Data: "@table"}}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Replied || binary.LittleEndian.Uint64(r.Bytes) != 3 { // by 1 and 0
		t.Errorf("arrived elsewhere than at 3: %+v", r)
	}
}
