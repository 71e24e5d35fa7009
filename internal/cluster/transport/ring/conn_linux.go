package ring

import (
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/transport/spin"
)

// Options are those of one side of a connection.
type Options struct {
	// Most is the greatest length of a message that is taken.
	Most int
	// Hold is asked before memory is made for a message that is coming, and may refuse it.
	// It may be nil.
	Hold func(bytes int) error
	// Lends has long messages lie in memory that is lent; see Conn.Lent.
	Lends bool
	// Go runs what belongs to the connection.
	Go func(func())
	// At is called before every access to a word of the memory; nil but in tests.
	At func()
}

// Conn carries messages both ways. One goroutine reads, another one writes. Its memory is given back after
// Close, or after Read has said that it has ended: one of them must be called.
type Conn struct {
	socket *net.UnixConn
	raw    syscall.RawConn
	began  time.Time

	reading, writing sync.Mutex // held while the memory is used
	out              putter
	in               taker
	pending          atomic.Bool // something was written that the other side was not told of
	more             bool        // see More

	memory  []byte // nil when it is not mapped any more; under both
	dialled bool
	beats   sync.WaitGroup
	rung    [bells]chan struct{}
	ringing [bells]func(fd uintptr) bool
	spins   [bells]*spin.Spins
	unread  chan struct{} // Read wants nothing any more; closed by wanted
	wanted  sync.Once
	ended   sync.Once
	why     error         // why it ended; after gone is closed
	gone    chan struct{} // nobody waits any more
	over    atomic.Bool   // gone is closed
	dropped atomic.Bool   // this side ended it, and wants nothing of what is left
}

// newConn begins to use a memory that both sides have mapped, over a socket on which nothing but
// bells is sent from now on.
func newConn(socket *net.UnixConn, memory []byte, dialled bool, o Options) (*Conn, error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, errors.Join(err, unix.Munmap(memory))
	}
	c := &Conn{
		socket: socket, raw: raw, began: time.Now(), memory: memory, dialled: dialled,
		gone: make(chan struct{}), unread: make(chan struct{}),
	}
	for b := range bells {
		c.rung[b], c.ringing[b], c.spins[b] = make(chan struct{}, 1), sender(byte(b)), spin.New(spin.Most, c.now)
	}
	out, in := 1, 0
	if dialled {
		out, in = 0, 1
	}
	c.out = putter{way: wayIn(memory, out, o.At), sleeper: (*waits)(c)}
	c.in = taker{way: wayIn(memory, in, o.At), sleeper: (*waits)(c), most: o.Most, hold: o.Hold, lends: o.Lends}
	c.beats.Go(c.beat)
	o.Go(c.listen)
	return c, nil
}

func (c *Conn) now() time.Duration { return time.Since(c.began) }

// sender writes a byte, unless there is no room for it: then there are others on the way.
func sender(b byte) func(uintptr) bool {
	bytes := []byte{b}
	return func(fd uintptr) bool {
		_ = unix.Send(int(fd), bytes, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
		return true
	}
}

// waits is the sleeper of a connection.
type waits Conn

func (w *waits) ring(b bell)      { _ = w.raw.Write(w.ringing[b]) } // a closed socket is heard of
func (w *waits) spin(b bell) bool { return w.spins[b].More() }
func (w *waits) found(b bell)     { w.spins[b].Found() }

func (w *waits) wait(b bell) error {
	select {
	case <-w.rung[b]:
		return nil
	case <-w.gone:
		return w.why
	}
}

// Read gives the next message, which is the caller's. It waits for it until the connection ends; what a
// peer has written before it ended is read first.
func (c *Conn) Read() (m []byte, err error) { return c.ReadInto(nil) }

// ReadInto is Read, but a message that came in one piece and fits is put into room, without asking Hold: it takes no memory that was not
// there. It is there until room is given again.
func (c *Conn) ReadInto(room []byte) (m []byte, err error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	defer guarded(debug.SetPanicOnFault(true), &err)
	c.in.room, c.more = room, false
	if c.memory != nil && !c.over.Load() {
		if m, err = c.in.take(); m != nil || !c.over.Load() {
			c.more = m != nil && c.in.follows()
			return m, err
		}
	}
	<-c.gone
	if c.memory != nil && !c.dropped.Load() {
		if m, err = c.in.rest(); m != nil || err != nil {
			return m, err
		}
	}
	c.wanted.Do(func() { close(c.unread) })
	return nil, c.why
}

// Lent is what the last message lies in; nil if that is not lent. It is called by who reads.
func (c *Conn) Lent() *loan.Loan { return c.in.lent }

// More says whether there was a message in one piece behind the last one. It is called by who reads.
func (c *Conn) More() bool { return c.more }

// Write sends a message in two parts, one of which may be empty. With more, the other side may
// hear of it only when Write or Flush is called again.
func (c *Conn) Write(first, second []byte, more bool) (err error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	defer guarded(debug.SetPanicOnFault(true), &err)
	if c.over.Load() {
		<-c.gone
		return c.why
	}
	err = c.out.put(first, second, more)
	c.pending.Store(c.out.told != c.out.end)
	return err
}

// guarded is deferred by all that uses the memory: an access that the system cannot serve becomes an error.
// The memory's size is sealed, but its pages are made when they are touched first, and again after somebody
// has punched a hole. before is what SetPanicOnFault gave.
func guarded(before bool, err *error) {
	debug.SetPanicOnFault(before)
	p := recover()
	if p == nil {
		return
	}
	fault, ok := p.(interface{ Addr() uintptr })
	if !ok {
		panic(p)
	}
	*err = fmt.Errorf("the ring's memory cannot be used at %#x", fault.Addr())
}

// Flush tells the other side of all that was written. It is called by who writes: Write keeps others
// waiting for as long as it waits for room.
func (c *Conn) Flush() {
	if !c.pending.Load() {
		return
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.memory == nil {
		return
	}
	if err := c.flush(); err != nil {
		c.end(err, true)
	}
	c.pending.Store(false)
}

func (c *Conn) flush() (err error) {
	defer guarded(debug.SetPanicOnFault(true), &err)
	c.out.flush()
	return nil
}

// Room says whether a message of so many bytes can be written without waiting.
func (c *Conn) Room(bytes int) bool {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.memory == nil {
		return true // Write says why not
	}
	if bytes > piece {
		return false
	}
	if c.out.room() >= padded(bytes) {
		return true
	}
	if err := c.look(); err != nil {
		c.end(err, true)
		return true // as above
	}
	return c.out.room() >= padded(bytes)
}

func (c *Conn) look() (err error) {
	defer guarded(debug.SetPanicOnFault(true), &err)
	return c.out.look()
}

// Close ends the connection, and tells the other side why unless the reason is nil or ErrEnded. Read and
// Write return at once then, and the memory is given back.
func (c *Conn) Close(why error) {
	c.dropped.Store(true)
	c.end(why, true)
	c.wanted.Do(func() { close(c.unread) })
}

// end notes why, and lets all who wait go on.
func (c *Conn) end(why error, tell bool) {
	c.ended.Do(func() {
		if why == nil {
			why = ErrEnded
		}
		c.why = why
		if text := why.Error(); tell && !errors.Is(why, ErrEnded) {
			b := append([]byte{because}, text[:min(len(text), mostReason)]...)
			_ = c.raw.Write(func(fd uintptr) bool {
				_ = unix.Send(int(fd), b, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL)
				return true
			})
		}
		c.over.Store(true)
		close(c.gone)
		_ = c.socket.Close()
	})
}

// Why is the reason why the connection has ended. It waits until it has.
func (c *Conn) Why() error {
	<-c.gone
	return c.why
}

// mostReason is how many bytes of a reason are sent, and read.
const mostReason = 1 << 10

// listen hears the bells until the socket ends, and gives the memory back when what was told before
// is read. A process that dies is seen by that at once, whatever it was doing.
func (c *Conn) listen() {
	c.end(c.hear(), false)
	c.beats.Wait()
	<-c.unread
	c.reading.Lock()
	c.writing.Lock()
	_ = unix.Munmap(c.memory)
	c.memory = nil
	c.writing.Unlock()
	c.reading.Unlock()
}

func (c *Conn) hear() error {
	b := make([]byte, 64)
	for {
		n, err := c.socket.Read(b)
		for i, x := range b[:n] {
			switch {
			case bell(x) < bells:
				select {
				case c.rung[bell(x)] <- struct{}{}:
				default:
				}
			case x == because:
				return c.reason(b[i+1 : n])
			default:
				return broken("byte %d on the socket", x)
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
				return ErrEnded
			}
			return err
		}
	}
}

// reason is what the other side says at the end, of which there may be more to come.
func (c *Conn) reason(text []byte) error {
	_ = c.socket.SetReadDeadline(time.Now().Add(beatTime)) // then what there is
	rest, _ := io.ReadAll(io.LimitReader(c.socket, int64(mostReason-min(len(text), mostReason))))
	return errors.New(string(append(text, rest...)))
}

// beat gives signs of life, and looks for those of the other side. It counts its own beats and not
// the time: where this process stood still, the other one is given the time to follow.
func (c *Conn) beat() {
	if err := c.signs(); err != nil {
		c.end(err, true)
	}
}

// signs returns nil when the connection has ended.
func (c *Conn) signs() (err error) {
	defer guarded(debug.SetPanicOnFault(true), &err)
	own, other := wordIn(c.memory, beatLine+1), wordIn(c.memory, beatLine)
	if c.dialled {
		own, other = other, own
	}
	ticker := time.NewTicker(beatTime)
	defer ticker.Stop()
	silent := 0
	for last := atomic.LoadUint64(other); ; {
		select {
		case <-c.gone:
			return nil
		case <-ticker.C:
		}
		atomic.AddUint64(own, 1)
		seen := atomic.LoadUint64(other)
		if silent++; seen != last {
			last, silent = seen, 0
		}
		if silent > silentBeats {
			return ErrSilent
		}
	}
}
