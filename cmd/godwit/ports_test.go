package main

import (
	"net"
	"strconv"
	"testing"
)

// TestFreePorts gives ports that are free, once each, and that no connection gets by chance.
func TestFreePorts(t *testing.T) {
	first, err := freePorts(40)
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
		l, err := net.Listen("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		taken[at] = true
	}
	second, err := freePorts(40)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range second {
		if taken[at] {
			t.Errorf("%s is in use", at)
		}
	}
}
