package worker

import (
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func openPipe(t *testing.T) (*pipe, *os.File) {
	t.Helper()
	p, w, err := newPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close(); w.Close() })
	return p, w
}

func TestPipe(t *testing.T) {
	open := descriptors(t)
	p, w := openPipe(t)
	time.AfterFunc(20*time.Millisecond, func() { w.WriteString("text") })
	b := make([]byte, 8)
	if n, err := p.Read(b); string(b[:n]) != "text" || err != nil {
		t.Fatalf("read %q, %v", b[:n], err)
	}
	w.WriteString("rest")
	w.Close()
	if n := unread(p.file); n != 4 {
		t.Errorf("%d bytes wait, expected 4", n)
	}
	p.finish()
	if n, err := p.Read(b); string(b[:n]) != "rest" || err != nil {
		t.Errorf("read %q, %v", b[:n], err)
	}
	if _, err := p.Read(b); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := p.Read(b); err == nil || unread(p.file) != 0 {
		t.Errorf("once it is closed: %v", err)
	}
	if now := descriptors(t); len(now) > len(open) {
		t.Errorf("descriptors %q, before %q", now, open)
	}
}

// Who still holds the pipe when the process has ended does not keep it open, silent or not.
func TestPipeHeld(t *testing.T) {
	for name, writes := range map[string]bool{"silent": false, "writing": true} {
		t.Run(name, func(t *testing.T) {
			p, w := openPipe(t)
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				for writes {
					select {
					case <-stop:
						return
					case <-time.After(time.Millisecond):
						w.WriteString("x")
					}
				}
			}()
			defer func() { close(stop); <-stopped }()
			time.AfterFunc(50*time.Millisecond, p.finish)
			began := time.Now()
			_, err := io.Copy(io.Discard, struct{ io.Reader }{p})
			if took := time.Since(began); !errors.Is(err, os.ErrDeadlineExceeded) || took < lastWords || took > lastWords+10*time.Second {
				t.Errorf("after %v: %v", took, err)
			}
		})
	}
}

// A reader that waits uses no processor, and one that does not read is not woken.
func TestPipeIdle(t *testing.T) {
	used := func() time.Duration {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	p, _ := openPipe(t)
	time.AfterFunc(time.Second, p.finish)
	before := used()
	if n, err := p.Read(make([]byte, 1)); n != 0 || err != os.ErrDeadlineExceeded {
		t.Errorf("read %d bytes, %v", n, err)
	}
	if d := used() - before; d > 100*time.Millisecond {
		t.Errorf("waiting took %v of the processor", d)
	}
}
