package site

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"
)

// A cluster that is stopped is said to be, soon, with the command that starts it; of one on other machines
// each node is named.
func TestUnreached(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	at := l.Addr().String()
	check(t, l.Close())
	s, err := Create(t.TempDir()+"/a b", time.Second)
	check(t, err)
	ask := func() string {
		check(t, s.Save())
		began := time.Now()
		_, err := Connect(context.Background(), s.Dir, Options{})
		var e *UnreachedError
		if took := time.Since(began); !errors.As(err, &e) || took > 5*time.Second || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("found %v after %v", err, took)
		}
		return e.Message().Render()
	}
	s.Nodes = []NodeCard{{Name: "n1", Address: at}}
	if want := "error: the cluster in " + s.Dir + " does not run\n  help: `godwit up -d --cluster '" + s.Dir + "'` starts it\n"; strings.TrimSpace(ask()) != strings.TrimSpace(want) {
		t.Errorf("found %s, want %s", ask(), want)
	}
	s.Nodes, s.Contacts = nil, []Contact{{"far", at}}
	if text := ask(); !strings.Contains(text, "answers: far ("+at+") refuses the connection\n  help: see that") {
		t.Error(text)
	}
}
