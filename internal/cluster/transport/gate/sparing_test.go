package gate

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"testing"
)

// What strangers say fills no disk: lines are few, and short.
func TestRefusals(t *testing.T) {
	var text bytes.Buffer
	r := NewRefusals(slog.New(slog.NewTextHandler(&text, nil)), "refused")
	from := &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 1}
	r.Log(from, io.EOF)
	for range 10 * Burst {
		r.Log(from, errors.New(strings.Repeat("\x01", 100_000)))
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	if len(lines) < Burst || len(lines) > Burst+10 {
		t.Errorf("%d lines", len(lines))
	}
	for _, l := range lines {
		if len(l) > 8*mostText || !strings.Contains(l, "(100000 bytes)") {
			t.Fatalf("a line of %d bytes: %.300s", len(l), l)
		}
	}
}
