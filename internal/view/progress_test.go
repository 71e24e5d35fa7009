package view

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

func TestProgressWaits(t *testing.T) {
	var b strings.Builder
	p := NewProgress(&b, "running", "rows")
	p.Report(1, 100)
	p.Close()
	if b.Len() > 0 {
		t.Errorf("shown at once: %q", b.String())
	}
	p.from = p.from.Add(-2 * Patience)
	p.Report(40, 100)
	if b.Len() > 0 {
		t.Errorf("shown before it has a rate: %q", b.String())
	}
	time.Sleep(rated)
	p.Report(50, 100)
	p.Close()
	if !strings.Contains(b.String(), "50%") {
		t.Errorf("after a while: %q", b.String())
	}
}

// A bar takes one line of its terminal, however narrow that is, and is gone at the end.
func TestProgressFits(t *testing.T) {
	for _, width := range []uint16{40, 60, 79, 99, 100, 120, 200} {
		main, side := terminal(t, width)
		p := NewProgress(side, "loading", "rows")
		p.from = time.Now()
		p.Report(1, 200_000_000_000)
		p.begun = p.begun.Add(-rated)
		for _, done := range []int64{1, 99_999_999_999, 100_000_000_000} {
			p.Report(done, 200_000_000_000)
			time.Sleep(110 * time.Millisecond)
		}
		p.Report(150_000_000_000, 200_000_000_000)
		p.Close()
		fmt.Fprint(side, "end")
		b := make([]byte, 1<<16)
		text := ""
		for !strings.HasSuffix(text, "end") {
			if err := main.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
				t.Fatal(err)
			}
			n, err := main.Read(b)
			if err != nil {
				t.Fatalf("%v after %q", err, text)
			}
			text += string(b[:n])
		}
		lines := strings.Split(text, "\r")
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > int(width) || strings.Contains(line, "\n") {
				t.Errorf("%d columns in a terminal of %d: %q", n, width, line)
			}
		}
		if !strings.Contains(text, "75%") || lines[len(lines)-1] != "end" {
			t.Errorf("width %d: %q", width, text)
		}
	}
}

// terminal is both sides of a terminal of a width.
func terminal(t *testing.T, width uint16) (main, side *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("there are no terminals here: %v", err)
	}
	main = os.NewFile(uintptr(fd), "ptmx")
	t.Cleanup(func() { main.Close() })
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 20, Col: width})
	}
	if err == nil {
		side, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { side.Close() })
	if !IsTerminal(side) {
		t.Fatal("it is no terminal")
	}
	return main, side
}
