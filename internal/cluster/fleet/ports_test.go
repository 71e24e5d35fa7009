package fleet

import (
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestChoosePorts gives ports that are free, once each, and that no connection gets by chance.
func TestChoosePorts(t *testing.T) {
	one, two := newPorts(), newPorts()
	t.Cleanup(one.close)
	t.Cleanup(two.close)
	first, err := one.choose(40, nil)
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]bool{}
	for _, at := range first {
		_, port, err := net.SplitHostPort(at)
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(port)
		if err != nil || n < firstPort || ephemeral() >= firstPort+1000 && n >= ephemeral() || taken[at] {
			t.Errorf("%s: twice, or not from %d to %d (%v)", at, firstPort, ephemeral()-1, err)
		}
		taken[at] = true
	}
	// Nobody listens at them yet, and still no other fleet gets them.
	second, err := two.choose(40, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range second {
		if taken[at] {
			t.Errorf("%s was given to two fleets", at)
		}
	}
	if err := two.reserve(first[0]); err != errReserved {
		t.Errorf("reserving what another has: %v", err)
	}
	one.release(first[0])
	if err := two.reserve(first[0]); err != nil {
		t.Errorf("what was given back is not to be had: %v", err)
	}
}

func TestPortsLeaveOut(t *testing.T) {
	p := newPorts()
	t.Cleanup(p.close)
	next, err := p.choose(1, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.close()
	other, err := p.choose(1, map[string]bool{next[0]: true})
	if err != nil || other[0] == next[0] {
		t.Errorf("chose %v, which was to be left out (%v)", other, err)
	}
}

// TestUserOf finds who listens at a port: this process.
func TestUserOf(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	who := userOf(l.Addr().String())
	if want := "pid " + strconv.Itoa(os.Getpid()); !strings.Contains(who.String(), want) || who.pid != os.Getpid() {
		t.Errorf("found %q, want %s in it", who, want)
	}
	if none := (portUser{}); !none.unknown() {
		t.Error("nobody is somebody")
	}
}
