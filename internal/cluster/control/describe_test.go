package control

import (
	"errors"
	"strings"
	"testing"
)

// TestDescribe: what a node runs on is in views, those that are encoded too, and its life and its shards stay; a life that is over
// describes nothing.
func TestDescribe(t *testing.T) {
	c := NewMemory()
	m, err := c.Join(t.Context(), Member{Name: "a", Address: "a", Secret: "s", Machine: "first"})
	if err != nil {
		t.Fatal(err)
	}
	machine := func() (string, int64) {
		v, err := c.View(t.Context())
		if err != nil || len(v.Nodes) != 1 {
			t.Fatalf("%+v, %v", v, err)
		}
		again, err := DecodeView(EncodeView(v))
		if err != nil || again.Nodes[0].Machine != v.Nodes[0].Machine {
			t.Errorf("%+v, %v after encoding", again, err)
		}
		return v.Nodes[0].Machine, v.Nodes[0].Incarnation
	}
	text, life := machine()
	if text != "first" {
		t.Errorf("%q", text)
	}
	if err := m.Describe(t.Context(), "second"); err != nil {
		t.Fatal(err)
	}
	if text, now := machine(); text != "second" || now != life {
		t.Errorf("%q, in life %d of %d", text, now, life)
	}
	if err := m.Describe(t.Context(), strings.Repeat("x", mostMachine+1)); !errors.As(err, new(*InvalidError)) {
		t.Errorf("one that is too long: %v", err)
	}
	if _, err := c.Join(t.Context(), Member{Name: "a", Address: "a", Secret: "s"}); err != nil {
		t.Fatal(err)
	}
	if err := m.Describe(t.Context(), "third"); !errors.As(err, new(*StaleError)) {
		t.Errorf("a life that is over: %v", err)
	}
	if text, _ := machine(); text != "" {
		t.Errorf("%q of a life that said nothing", text)
	}
}
