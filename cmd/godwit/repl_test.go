package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
)

// An input goes on as long as a bracket is open, outside of text and comments.
func TestOpenInput(t *testing.T) {
	for text, want := range map[string]bool{
		"f.map(|r| {\n": true, "f.map(|r| {\n 1 })\n": false, "x == \"(\"\n": false, "x == \"\\\"(\"\n": false, "1 // (\n": false, "(1 // )\n": true, ")(": false, "": false,
	} {
		if open(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// The tab key offers operations and fields behind a point, commands behind a colon, and names elsewhere.
func TestCompletion(t *testing.T) {
	c := &conversation{session: godwit.NewSession(), bound: map[string]string{}}
	if _, err := c.session.Bind(t.Context(), "trips", godwit.Text("testdata/trips.csv")); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{"tri": "trips", "trips.tak": "take", "trips.map(|r| r.dep": "departed", ":he": "head help", "0..tr": "trips", "le": "let", "nothing.": "abs"} {
		head, list, tail := c.complete(typed+" + 1", len([]rune(typed)))
		if !strings.HasPrefix(strings.Join(list, " "), want) || tail != " + 1" || !strings.HasPrefix(typed, head) {
			t.Errorf("%q: %q, %q, %q; want %q", typed, head, list, tail, want)
		}
	}
	if _, list, _ := c.complete("trips.zzz", 9); len(list) > 0 {
		t.Errorf("offers %v", list)
	}
	if _, list, _ := c.complete(":", 1); len(list) != len(replCommands) || !slices.IsSorted(list) {
		t.Errorf("commands: %v", list)
	}
}
