package site

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Connections to the port of metrics that ask for nothing end, however slowly they go
// on, are few, and keep nobody from reading.
func TestMetricsPort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := metricsServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") }))
	go func() { _ = s.Serve(metricsGate(l)) }()
	t.Cleanup(func() { s.Close() })
	dial := func(say string) net.Conn {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		_, _ = io.WriteString(c, say)
		return c
	}
	end := func(what string, c net.Conn, within time.Duration) {
		t.Helper()
		start := time.Now()
		_ = c.SetReadDeadline(start.Add(time.Minute))
		_, err := io.Copy(io.Discard, c)
		if n, ok := err.(net.Error); ok && n.Timeout() || time.Since(start) > within {
			t.Errorf("%s: it ended after %v, %v", what, time.Since(start), err)
		}
	}
	silent, slow := dial(""), dial("GET /metrics HTTP/1.1\r\nHost: x\r\nX: ")
	go func() {
		for {
			if _, err := slow.Write([]byte("y")); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	}()
	end("says nothing", silent, 9*time.Second)
	end("a byte a second", slow, 9*time.Second)
	end("a long head", dial("GET /metrics HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("y", 20<<10)), 5*time.Second)

	const ask = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
	many := dial(strings.Repeat(ask, 50))
	_ = many.SetReadDeadline(time.Now().Add(time.Minute))
	if b, _ := io.ReadAll(many); strings.Count(string(b), "here") != 1 {
		t.Errorf("one connection was answered\n%s", b)
	}

	var all []net.Conn
	for range 3 * metricsEach {
		all = append(all, dial(""))
	}
	r, err := http.Get("http://" + l.Addr().String() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(r.Body)
	r.Body.Close()
	if string(b) != "here" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	for _, c := range all[:2*metricsEach] {
		end("one of too many", c, 2*time.Second)
	}
}
