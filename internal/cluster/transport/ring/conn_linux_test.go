package ring

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pair is two ends of a socket.
func pair(t testing.TB) (near, far *net.UnixConn) {
	t.Helper()
	address := fmt.Sprintf("%s-%d-%d", t.Name(), os.Getpid(), rand.Uint64())
	l, err := Listen("test", address)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	near, err = Dial(context.Background(), "test", address)
	if err != nil {
		t.Fatal(err)
	}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	far = c.(*net.UnixConn)
	t.Cleanup(func() { near.Close(); far.Close() })
	for _, c := range []*net.UnixConn{near, far} {
		if err := errors.Join(SameUser(c), c.SetDeadline(time.Now().Add(limit))); err != nil {
			t.Fatal(err)
		}
	}
	return near, far
}

// rings is a connection with both ends here.
func rings(t testing.TB) (near, far *Conn) {
	t.Helper()
	var running sync.WaitGroup
	o := Options{Most: 8 << 20, Go: running.Go}
	a, b := pair(t)
	failed := make(chan error, 1)
	go func() {
		var err error
		if far, err = Accept(b, o); err == nil {
			err = far.Ready()
		}
		failed <- err
	}()
	near, err := Offer(a, o)
	if err := errors.Join(err, <-failed); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		near.Close(nil)
		far.Close(nil)
		running.Wait() // nothing runs any more, and the memory is given back
		if near.memory != nil || far.memory != nil {
			t.Error("memory is still mapped")
		}
	})
	return near, far
}

func TestConn(t *testing.T) {
	near, far := rings(t)
	var group sync.WaitGroup
	for i, c := range []*Conn{near, far} {
		other := []*Conn{far, near}[i]
		group.Go(func() {
			for n := range 2000 {
				if err := c.Write([]byte{byte(n)}, bytes.Repeat([]byte{byte(i)}, n*n%5000), n%3 != 0); err != nil {
					t.Error(err)
				}
			}
			c.Flush()
			if err := c.Write(nil, make([]byte, 8<<20), false); err != nil {
				t.Error(err)
			}
		})
		group.Go(func() {
			for n := range 2000 {
				m, err := other.Read()
				if err != nil || len(m) != 1+n*n%5000 || m[0] != byte(n) {
					t.Errorf("message %d: %d bytes, %v", n, len(m), err)
					return
				}
			}
			if m, err := other.Read(); len(m) != 8<<20 {
				t.Errorf("%d bytes, %v", len(m), err)
			}
		})
	}
	group.Wait()
}

// The other side hears why; what was told before the end is read first.
func TestClose(t *testing.T) {
	near, far := rings(t)
	if err := near.Write([]byte("last"), nil, false); err != nil {
		t.Fatal(err)
	}
	near.Close(errors.New("I have enough"))
	if m, err := far.Read(); string(m) != "last" {
		t.Errorf("%q, %v", m, err)
	}
	if _, err := far.Read(); err == nil || err.Error() != "I have enough" {
		t.Error(err)
	}
	if err := far.Write([]byte("x"), nil, false); err == nil {
		t.Error("it can be written to")
	}
	if _, err := near.Read(); err == nil || err.Error() != "I have enough" {
		t.Error(err)
	}
	near, far = rings(t)
	go func() {
		time.Sleep(10 * time.Millisecond)
		near.Close(nil)
	}()
	if err := far.Write(nil, make([]byte, 2*Size), false); !errors.Is(err, ErrEnded) {
		t.Errorf("who waits for room hears %v", err)
	}
}

// Who takes its time with each message gets all that were told before the end, and the memory is given
// back after the last one.
func TestLastMessages(t *testing.T) {
	for _, pause := range []time.Duration{0, time.Microsecond, time.Millisecond} {
		near, far := rings(t)
		for i := range 100 {
			if err := near.Write([]byte{byte(i)}, nil, false); err != nil {
				t.Fatal(err)
			}
		}
		near.Close(nil)
		<-far.gone
		for i := range 100 {
			m, err := far.Read()
			if err != nil || len(m) != 1 || m[0] != byte(i) {
				t.Fatalf("pause %v, message %d: %v, %v", pause, i, m, err)
			}
			time.Sleep(pause)
		}
		if _, err := far.Read(); !errors.Is(err, ErrEnded) {
			t.Errorf("after the last one: %v", err)
		}
		for start := time.Now(); ; time.Sleep(time.Millisecond) {
			far.writing.Lock()
			mapped := far.memory != nil
			far.writing.Unlock()
			if !mapped {
				break
			}
			if time.Since(start) > limit {
				t.Fatal("memory is still mapped after the last message")
			}
		}
	}
}

// Rubbish on the socket ends the connection.
func TestSocketRubbish(t *testing.T) {
	near, far := rings(t)
	if _, err := near.socket.Write([]byte{200}); err != nil {
		t.Fatal(err)
	}
	if _, err := far.Read(); err == nil || !strings.Contains(err.Error(), "byte 200") {
		t.Error(err)
	}
}

// A message that nobody reads costs Write no time, as long as Room says so.
func TestRoom(t *testing.T) {
	near, far := rings(t)
	n := 0
	for ; near.Room(1000); n++ {
		if err := near.Write(nil, make([]byte, 1000), true); err != nil {
			t.Fatal(err)
		}
	}
	if n < Size/1100 || n > Size/1000 {
		t.Errorf("%d messages of 1000 bytes have room", n)
	}
	near.Flush()
	for range n {
		if _, err := far.Read(); err != nil {
			t.Fatal(err)
		}
	}
	if near.Room(Size) || !near.Room(100) {
		t.Error("an empty ring has room for small messages")
	}
}

// memory of another kind than create makes is refused: it could be taken away while it is read.
func TestAdopt(t *testing.T) {
	file := func(flags int, size int64, seals int) int {
		fd, err := unix.MemfdCreate("test", flags)
		if err == nil {
			err = unix.Ftruncate(fd, size)
		}
		if err == nil && seals != 0 {
			_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
		return fd
	}
	disk, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer disk.Close()
	if err := disk.Truncate(Bytes); err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	for _, c := range []struct {
		name string
		fd   int
		want string
	}{
		{"not sealed", file(unix.MFD_ALLOW_SEALING, Bytes, 0), "could be made smaller"},
		{"it may shrink", file(unix.MFD_ALLOW_SEALING, Bytes, unix.F_SEAL_GROW), "could be made smaller"},
		{"too small", file(unix.MFD_ALLOW_SEALING, Bytes-4096, seals), "expected a regular file of"},
		{"too large", file(unix.MFD_ALLOW_SEALING, 1<<40, seals), "expected a regular file of"},
		{"not to be written", file(unix.MFD_ALLOW_SEALING, Bytes, seals|unix.F_SEAL_WRITE), "operation not permitted"},
		{"a file", int(disk.Fd()), "no memory that can be sealed"},
		{"a pipe", int(read.Fd()), "no memory that can be sealed"},
	} {
		if m, err := adopt(c.fd); m != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	m, f, err := create()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	defer unix.Munmap(m)
	if err := f.Truncate(0); err == nil {
		t.Error("the memory can be taken away")
	}
	if _, err := adopt(int(f.Fd())); err != nil {
		t.Error(err)
	}
}

// What is passed in place of memory is refused and closed, and the dialler is told why.
func TestPassed(t *testing.T) {
	for _, c := range []struct {
		name string
		pass func(*net.UnixConn) error
		want string
	}{
		{"nothing", func(c *net.UnixConn) error { _, err := c.Write([]byte{ready}); return err }, "1 bytes and 0 files"},
		{"another byte", func(c *net.UnixConn) error { _, err := c.Write([]byte{9}); return err }, "1 bytes and 0 files"},
		{"several", func(c *net.UnixConn) error {
			_, _, err := c.WriteMsgUnix([]byte{ready}, unix.UnixRights(0, 1, 2), nil)
			return err
		}, "1 bytes and 3 files"},
		{"a terminal or a file", func(c *net.UnixConn) error {
			_, _, err := c.WriteMsgUnix([]byte{ready}, unix.UnixRights(0), nil)
			return err
		}, "no memory that can be sealed"},
	} {
		near, far := pair(t)
		if err := c.pass(near); err != nil {
			t.Fatal(err)
		}
		if _, err := Accept(far, Options{Go: func(func()) {}}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
		if err := expectReady(near); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the dialler is told %v", c.name, err)
		}
	}
}

// Memory is shared with this user and root, and with nobody whose number stands for many.
func TestSameUser(t *testing.T) {
	for _, c := range []struct {
		far, own, overflow uint32
		let                bool
	}{
		{1000, 1000, 65534, true},
		{0, 1000, 65534, true},
		{0, 0, 65534, true},
		{1001, 1000, 65534, false},
		{1000, 0, 65534, false},
		{65534, 65534, 65534, false},
		{65534, 1000, 65534, false},
		{65534, 65534, 99, true},
		{99, 99, 99, false},
		{0, 0, 0, false},
	} {
		if err := same(c.far, c.own, c.overflow); (err == nil) != c.let || err != nil && !errors.Is(err, ErrNone) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	text, err := os.ReadFile("/proc/sys/kernel/overflowuid")
	if err != nil || strings.TrimSpace(string(text)) != fmt.Sprint(overflow()) {
		t.Errorf("%d stands for unknown users, want %s, %v", overflow(), text, err)
	}
}

// lingering is a connected socket whose closing waits for 20 s, since nobody reads what was sent.
func lingering(t *testing.T) int {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	l, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	check(err)
	t.Cleanup(func() { unix.Close(l) })
	check(unix.Bind(l, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	check(unix.Listen(l, 1))
	at, err := unix.Getsockname(l)
	check(err)
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	check(err)
	check(unix.Connect(s, at))
	check(unix.SetsockoptLinger(s, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1, Linger: 20}))
	check(unix.SetNonblock(s, true))
	for err == nil {
		_, err = unix.Write(s, make([]byte, 1<<20))
	}
	check(unix.SetNonblock(s, false))
	return s
}

// Closing what was passed takes nobody's time.
func TestLingering(t *testing.T) {
	for _, n := range []int{1, 6, 40} { // more than are closed at once
		near, far := pair(t)
		var passed []int
		for range n {
			passed = append(passed, lingering(t))
		}
		if _, _, err := near.WriteMsgUnix([]byte{ready}, unix.UnixRights(passed...), nil); err != nil {
			t.Fatal(err)
		}
		for _, fd := range passed {
			unix.Close(fd) // the last one is what was passed
		}
		start := time.Now()
		if _, err := Accept(far, Options{Go: func(func()) {}}); err == nil {
			t.Error("sockets are taken for memory")
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%d sockets: refused after %v", n, d)
		}
	}
}

// Memory that the system cannot give is an error, not the end of the process.
func TestLacking(t *testing.T) {
	near, far := rings(t)
	if err := unix.Mprotect(near.memory[page:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	if err := near.Write([]byte("x"), nil, false); err == nil || !strings.Contains(err.Error(), "cannot be used") {
		t.Error(err)
	}
	if err := far.Write([]byte("x"), nil, false); err != nil {
		t.Fatal(err)
	}
	if _, err := near.Read(); err == nil || !strings.Contains(err.Error(), "cannot be used") {
		t.Error(err)
	}
}

// Nor is it the end of the process where words alone are touched: it ends the connection.
func TestWordsLacking(t *testing.T) {
	for name, use := range map[string]func(*Conn){
		"Flush": (*Conn).Flush,
		"Room": func(c *Conn) {
			if !c.Room(1000) {
				t.Error("there is no room: nobody would write, and hear why not")
			}
		},
	} {
		near, far := rings(t)
		for near.Room(1000) {
			if err := near.Write(nil, make([]byte, 1000), true); err != nil {
				t.Fatal(err)
			}
		}
		if !near.pending.Load() {
			t.Fatal("nothing is to be told")
		}
		if err := unix.Mprotect(near.memory, unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
		use(near)
		for _, c := range []*Conn{near, far} {
			if why := c.Why(); !strings.Contains(why.Error(), "cannot be used") {
				t.Errorf("%s: it ended because %v", name, why)
			}
		}
		if err := near.Write([]byte("x"), nil, false); err == nil {
			t.Errorf("%s: it can be written to", name)
		}
	}
}

// Nobody listens for a peer of another machine.
func TestElsewhere(t *testing.T) {
	if _, err := Dial(context.Background(), "test", "192.0.2.1:7411"); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

// BenchmarkConn is a round trip and a message one way without anything of a transport.
func BenchmarkConn(b *testing.B) {
	b.Run("trip", func(b *testing.B) {
		near, far := rings(b)
		go func() {
			for {
				m, err := far.Read()
				if err != nil || far.Write(m, nil, false) != nil {
					return
				}
			}
		}()
		m := make([]byte, 48)
		var all []time.Duration
		for b.Loop() {
			start := time.Now()
			if err := near.Write(m, nil, false); err != nil {
				b.Fatal(err)
			}
			if _, err := near.Read(); err != nil {
				b.Fatal(err)
			}
			all = append(all, time.Since(start))
		}
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)/2].Nanoseconds()), "p50-ns")
		b.ReportMetric(float64(all[len(all)*99/100].Nanoseconds()), "p99-ns")
	})
	b.Run("one way", func(b *testing.B) {
		near, far := rings(b)
		m := make([]byte, 48)
		read := make(chan int)
		go func() {
			n := 0
			for ; ; n++ {
				if m, err := far.Read(); err != nil || len(m) == 0 {
					read <- n
					return
				}
			}
		}()
		n := 0
		for b.Loop() {
			if n++; near.Write(m, nil, n%32 != 0) != nil {
				b.Fatal("it has ended")
			}
		}
		if err := near.Write(nil, nil, false); err != nil {
			b.Fatal(err)
		}
		if got := <-read; got != n {
			b.Errorf("%d of %d messages arrived", got, n)
		}
	})
}
