package main

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// cutFor is how long two nodes cannot reach each other.
const cutFor = 5 * time.Second

// TestNetworkCut takes away for a while what connects two nodes, in the midst
// of a call whose states move between them. Nothing is refused and no
// connection ends: packets disappear.
func TestNetworkCut(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: no network was cut: that needs root, for network namespaces")
	}
	net := &network{}
	t.Cleanup(func() { net.remove(t) }) // after the nodes have ended
	if why := net.make(); why != "" {
		t.Skip("SKIPPED: no network was cut, for network namespaces cannot be made here: " + why)
	}
	b := newByHand(t, t.TempDir(), "n1="+net.host(1), "n2="+net.host(2))
	b.node(t, "n1", net.inside(1, path(t)))
	b.node(t, "n2", net.inside(2, path(t)))
	b.await(t, 2)
	b.godwit(t, "generate", "cycle", "next.npy", "200000")
	b.godwit(t, "generate", "cycle", "starts.npy", "20000")
	b.godwit(t, "load", "next.npy", "--as", "next", "--shards", "2")
	write(t, b.dir+"/chase.gw", chase)
	b.godwit(t, "run", "chase.gw", "next=next.npy", "starts=starts.npy", "steps=1500", "--out", "local.npy")

	type end struct {
		stderr string
		err    error
	}
	far := slices.Concat(farChase, []string{"--out", "far.npy"})
	ended := make(chan end, 1)
	go func() {
		_, stderr, err := b.try(b.cluster, far...)
		ended <- end{stderr, err}
	}()
	walks := func() (n int64) {
		for _, s := range b.status(t) {
			n += s.Report.Core.In["walk"]
		}
		return n
	}
	for limit, first := time.Now().Add(settleLimit), walks(); walks() < first+20; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("states do not move after %v", settleLimit)
		}
	}
	start := time.Now()
	net.cut(t, true)
	time.Sleep(cutFor)
	select {
	case e := <-ended:
		t.Fatalf("the call did not notice that the network was cut: it ended before, with %v\n%s", e.err, e.stderr)
	default:
	}
	net.cut(t, false)
	e := <-ended
	t.Logf("the call ended %v after the cut: %v %s", time.Since(start), e.err, e.stderr)
	if took := time.Since(start); took > chaseDeadline+endLimit {
		t.Errorf("the call ended %v after the cut; its deadline is %v", took, chaseDeadline)
	}
	if e.err == nil {
		same(t, b.dir+"/far.npy", b.dir+"/local.npy")
	} else if !strings.Contains(e.stderr, "unreachable") && !strings.Contains(e.stderr, "deadline") {
		t.Errorf("expected that a node is unreachable, or that the deadline has passed; found: %s", e.stderr)
	}
	b.godwit(t, slices.Concat(farChase, []string{"--out", "again.npy"})...)
	same(t, b.dir+"/again.npy", b.dir+"/local.npy")
}

const chaseDeadline = 60 * time.Second

var farChase = []string{"run", "chase.gw", "next=@next", "starts=starts.npy", "steps=1500", "--strategy", "ship", "--deadline", chaseDeadline.String()}

const chase = `fn chase(next: &[idx<N>; N], starts: &[idx<N>; M], steps: u32) -> [idx<N>; M]
where N: Range<1, 1_000_000_000>, steps: Range<0, 4096>
{
    starts.map(|s| { let mut i = s; for _ in 0..steps { i = next[i]; } i })
}
`

func same(t *testing.T, is, want string) {
	t.Helper()
	a, err := os.ReadFile(is)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(want)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("%s and %s differ", is, want)
	}
}

// network is two network namespaces, and a bridge to which both are tied by a
// pair of interfaces. The bridge's own address is that of clients.
type network struct{ made [][]string }

const bridge = "godwitcut"

func (n *network) name(i int) string { return bridge + string(rune('0'+i)) }
func (n *network) host(i int) string { return "10.231.77.1" + string(rune('0'+i)) }

// inside are words that run a program in a namespace.
func (n *network) inside(i int, words ...string) []string {
	return append([]string{"ip", "netns", "exec", n.name(i)}, words...)
}

func ip(words string) string {
	out, err := exec.Command("ip", strings.Fields(words)...).CombinedOutput()
	if err == nil {
		return ""
	}
	return "ip " + words + ": " + err.Error() + ": " + strings.TrimSpace(string(out))
}

// make says why there is no network, if there is none.
func (n *network) make() string {
	steps := []string{"link add " + bridge + " type bridge", "addr add 10.231.77.1/24 dev " + bridge, "link set " + bridge + " up"}
	for i := 1; i <= 2; i++ {
		ns, outer := n.name(i), n.name(i)+"o"
		steps = append(steps, "netns add "+ns,
			"link add "+outer+" type veth peer name eth0 netns "+ns,
			"link set "+outer+" master "+bridge+" up",
			"-n "+ns+" addr add "+n.host(i)+"/24 dev eth0",
			"-n "+ns+" link set eth0 up", "-n "+ns+" link set lo up")
	}
	for _, s := range steps {
		if why := ip(s); why != "" {
			return why
		}
		n.made = append(n.made, strings.Fields(s))
	}
	return ""
}

// cut makes packets between the two nodes disappear, or stops that.
func (n *network) cut(t *testing.T, off bool) {
	t.Helper()
	verb := "del"
	if off {
		verb = "add"
	}
	for i := 1; i <= 2; i++ {
		if why := ip("-n " + n.name(i) + " route " + verb + " blackhole " + n.host(3-i) + "/32"); why != "" {
			t.Fatal(why)
		}
	}
}

// remove takes away what was made. Interfaces in a namespace go with it.
func (n *network) remove(t *testing.T) {
	t.Helper()
	for _, m := range n.made {
		switch {
		case m[0] == "netns":
			if why := ip("netns del " + m[2]); why != "" {
				t.Error(why)
			}
		case m[0] == "link" && m[1] == "add" && m[2] == bridge:
			if why := ip("link del " + bridge); why != "" {
				t.Error(why)
			}
		}
	}
}
