//go:build (amd64 || arm64) && !static

package ucx

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/cluster/transport/spin"
)

// Fabric is this process's end of trusted networks: one worker of UCX. Invariants: the library is called with
// mu held, and what came lies in the inbox only while mu is held. While nobody leads, the watching goroutine
// looks after at most a tick, or polls; while it polls, the worker is armed whenever mu is free and nobody leads.
//
// Who waits for a message looks for it itself, and so for those of all others: it leads. So between a packet
// and the handler there is no other goroutine where answers come at once.
type Fabric struct {
	lib  *library
	own  []byte // address
	peer bool   // UCX tells of peers that are gone

	// unsettled says that a connection has ended before packets went both ways. The library may then still owe a peer an answer, be it one that has
	// reached this side alone, and a worker that is destroyed with one aborts the process (an assertion of ucp_request.c); so it is left.
	unsettled atomic.Bool

	goes    func(func())
	retired bool // it ends with its last connection; under mu
	ending  bool // Close was called; under mu

	leading atomic.Bool  // a reader looks
	turns   atomic.Int64 // how often one began to
	wanted  atomic.Int32 // how many wait for mu
	spins   *spin.Spins  // of who leads
	idle    chan struct{}
	closing chan struct{}
	done    sync.WaitGroup // the watching goroutine

	mu              sync.Mutex
	closed          bool
	polling         bool
	arena           *arena
	context, worker uintptr
	event, wake     int // descriptors
	in              *inbox
	buffer          []byte // of it
	looks           *lookArgs
	calls           *callArgs
	conns           map[uint64]*Conn
	dying           []*Conn // whose memory the library may yet use
}

const (
	// inboxSize holds what one look at all networks brings, many times over.
	inboxSize = 4 << 20
	messageID = 7
	// looksAtOnce is how often the library is called in one call of C, looksHeld how many of these are made before mu is
	// given back, unless somebody wants it: some hundred nanoseconds in all, or some microseconds where each is a system call.
	looksAtOnce, looksHeld = 4, 2
	tick                   = time.Millisecond
	// mostSpin is what two sides take that both have to be woken.
	mostSpin = 2 * spin.Most
)

var errLost = errors.New("a packet came for which there was no room")

// Open begins to use trusted networks. goes runs what belongs to the fabric. The error wraps ErrNone where the library
// is missing.
func Open(t *Trusted, goes func(func())) (*Fabric, error) {
	lib, err := load()
	if err != nil {
		return nil, err
	}
	f := &Fabric{
		lib: lib, peer: t.watched(), goes: goes, conns: map[uint64]*Conn{},
		idle: make(chan struct{}, 1), closing: make(chan struct{}), event: -1, wake: -1,
	}
	began := time.Now()
	f.spins = spin.New(mostSpin, func() time.Duration { return time.Since(began) })
	if err := f.open(t); err != nil {
		f.release()
		return nil, fmt.Errorf("fabric %s: %w", t.Name, err)
	}
	f.done.Add(1)
	goes(func() {
		defer f.done.Done()
		f.watch()
	})
	return f, nil
}

func (f *Fabric) open(t *Trusted) (err error) {
	if f.arena, err = newArena(inboxSize + 2*mostPacket + 64<<10); err != nil {
		return err
	}
	f.calls, f.looks, f.in = in[callArgs](f.arena), in[lookArgs](f.arena), in[inbox](f.arena)
	f.buffer = f.arena.take(inboxSize + 2*mostPacket)
	*f.in = inbox{mask: inboxSize - 1, buffer: address(&f.buffer[0]), capacity: inboxSize, longest: mostPacket}
	if err := present(t.Devices); err != nil {
		return err
	}
	// UCX crashes where it finds no network at all. So it always has one that reaches nobody else, with which its
	// address is that long:
	if err := f.begin([]string{alone}, nil); err != nil {
		return err
	}
	least := len(f.own)
	f.end()
	if err := f.begin(append([]string{alone}, t.Transports...), t.Devices); err != nil {
		return err
	}
	switch n := len(f.own); {
	case n <= least:
		return fmt.Errorf("UCX has none of %s here", strings.Join(append(t.Transports, t.Devices...), ", "))
	case n > MaxAddress:
		return fmt.Errorf("its address has %d bytes: expected at most %d; name fewer networks", n, MaxAddress)
	}
	*f.looks = lookArgs{function: f.lib.progress, argument: f.worker, head: &f.in.head}
	fd := in[int32](f.arena)
	if err := f.lib.check("tell of what comes", f.call(f.lib.workerFD, f.worker, address(fd))); err != nil {
		return err
	}
	f.event = int(*fd)
	h := in[handlerParam](f.arena)
	*h = handlerParam{mask: handlerAll, id: messageID, flags: wholeMessage, callback: takeAt, arg: address(f.in)}
	if err := f.lib.check("take messages", f.call(f.lib.setHandler, f.worker, address(h))); err != nil {
		return err
	}
	f.wake, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	return err
}

// alone is UCX's name for the way to the process itself.
const alone = "self"

// present looks for devices, which UCX leaves out without a word where they are not there.
func present(devices []string) error {
	for _, d := range devices {
		name, _, port := strings.Cut(d, ":")
		if _, err := os.Stat("/sys/class/infiniband/" + name); err == nil {
			continue
		}
		i, err := net.InterfaceByName(d)
		if port || err != nil {
			return fmt.Errorf("this machine has no network device %s", d)
		}
		if addresses, err := i.Addrs(); err != nil || len(addresses) == 0 || i.Flags&net.FlagUp == 0 {
			return fmt.Errorf("the network device %s is not up, or has no address", d)
		}
	}
	return nil
}

// begin makes a worker that uses certain networks and no others.
func (f *Fabric) begin(transports, devices []string) error {
	out := in[[4]uintptr](f.arena)
	config, err := f.config(transports, devices, out)
	if err != nil {
		return err
	}
	p := in[contextParams](f.arena)
	p.mask, p.features = fieldFeatures, featureMessages|featureWakeup
	status := f.call(f.lib.init, apiMajor, apiMinor, address(p), config, address(&out[1]))
	f.call(f.lib.configRelease, config)
	if err := f.lib.check("use "+strings.Join(append(transports, devices...), ", "), status); err != nil {
		return err
	}
	f.context = out[1]
	w := in[workerParams](f.arena)
	w.mask, w.threadMode = fieldThreadMode, serialized
	if err := f.lib.check("begin", f.call(f.lib.workerCreate, f.context, address(w), address(&out[2]))); err != nil {
		return err
	}
	f.worker = out[2]
	if err := f.lib.check("give its address", f.call(f.lib.workerAddress, f.worker, address(&out[0]), address(&out[3]))); err != nil {
		return err
	}
	f.own = append([]byte(nil), unsafe.Slice(at[byte](out[0]), out[3])...)
	f.call(f.lib.releaseAddress, f.worker, out[0])
	return nil
}

// end is the reverse of begin, as far as that came.
func (f *Fabric) end() {
	if f.worker != 0 {
		f.call(f.lib.workerDestroy, f.worker)
	}
	if f.context != 0 {
		f.call(f.lib.cleanup, f.context)
	}
	f.worker, f.context = 0, 0
}

// config restricts UCX to what is trusted.
func (f *Fabric) config(transports, devices []string, out *[4]uintptr) (uintptr, error) {
	if err := f.lib.check("read its configuration", f.call(f.lib.configRead, 0, 0, address(&out[0]))); err != nil {
		return 0, err
	}
	config := out[0]
	for _, c := range [][2]string{{"TLS", strings.Join(transports, ",")}, {"NET_DEVICES", strings.Join(devices, ",")}} {
		if c[1] == "" {
			continue
		}
		err := f.lib.check("be restricted to "+c[1], f.call(f.lib.configModify, config, f.arena.text(c[0]), f.arena.text(c[1])))
		if err != nil {
			f.call(f.lib.configRelease, config)
			return 0, err
		}
	}
	return config, nil
}

// call calls a function of the library. mu is held, but in open and release.
func (f *Fabric) call(function uintptr, args ...uintptr) uintptr {
	f.calls.function = function
	copy(f.calls.args[:], args)
	cgocall(callAt, unsafe.Pointer(f.calls))
	return f.calls.result
}

// Address is where peers reach this end, for Connect.
func (f *Fabric) Address() []byte { return f.own }

// New is the beginning of a connection: what comes for its token is kept from now on.
func (f *Fabric) New(o Options) *Conn {
	var b [8]byte
	for binary.LittleEndian.Uint64(b[:]) == 0 {
		_, _ = rand.Read(b[:]) // never fails
	}
	c := &Conn{
		fabric: f, token: binary.LittleEndian.Uint64(b[:]), ahead: o.Ahead, join: joiner{most: o.Most, hold: o.Hold},
		rung: make(chan struct{}, 1), ready: make(chan struct{}), gone: make(chan struct{}),
	}
	f.lock()
	defer f.mu.Unlock()
	f.conns[c.token] = c
	if f.closed {
		c.end(ErrEnded)
	}
	return c
}

// lock is for all but who leads, who gives way to it.
func (f *Fabric) lock() {
	if !f.mu.TryLock() {
		f.wanted.Add(1)
		f.mu.Lock()
		f.wanted.Add(-1)
	}
}

// unlock lets those who wait for mu have it.
func (f *Fabric) unlock() {
	f.mu.Unlock()
	for n := 0; n < 100 && f.wanted.Load() > 0; n++ {
		runtime.Gosched()
	}
}

// lead looks for packets until there is something for one connection, or nothing for too long.
func (f *Fabric) lead(c *Conn) bool {
	if !f.leading.CompareAndSwap(false, true) {
		return false
	}
	defer f.leading.Store(false)
	f.turns.Add(1)
	for {
		f.lock()
		got := 0
		for n := 0; n < looksHeld && got == 0 && !f.closed && f.wanted.Load() == 0; n++ {
			got = f.look(looksAtOnce)
		}
		if c.waits() {
			f.leave()
			f.mu.Unlock()
			f.spins.Found()
			return true
		}
		f.unlock()
		if got > 0 {
			f.spins.Found()
		} else if !f.spins.More() {
			return false
		}
	}
}

// look asks the library for what came, and gives it to whose it is.
func (f *Fabric) look(times uint64) (packets int) {
	f.looks.seen, f.looks.times = f.in.head, times
	cgocall(lookAt, unsafe.Pointer(f.looks))
	for f.in.tail != f.in.head {
		b := f.buffer[f.in.tail&f.in.mask:]
		length := binary.LittleEndian.Uint64(b)
		f.came(b[8:][:length])
		f.in.tail += (length + 15) &^ 7
		packets++
	}
	if f.in.lost > 0 { // nobody knows whose
		f.in.lost = 0
		for _, c := range f.conns {
			c.end(errLost)
		}
	}
	return packets
}

// came takes a packet, which is somebody's or dropped.
func (f *Fabric) came(packet []byte) {
	c := f.conns[tokenOf(packet)]
	if c == nil || c.over.Load() {
		f.in.foreign++
		return
	}
	if err := c.arrive(packet); err != nil {
		c.end(err)
	}
}

// leave is called by who has looked and goes on to something else: the watching goroutine hears of what comes
// only if it is asked for again.
func (f *Fabric) leave() {
	if f.polling && !f.closed && !f.arm() {
		f.poke()
	}
}

// arm has the event's descriptor tell of the next packet. It reports false where there is one, or where the library has
// to be called again for another reason.
func (f *Fabric) arm() bool { return int32(f.call(f.lib.workerArm, f.worker)) != statusBusy }

// poke ends a poll.
func (f *Fabric) poke() {
	_, _ = unix.Write(f.wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
}

// Retire closes the fabric with its last connection.
func (f *Fabric) Retire() {
	f.lock()
	defer f.mu.Unlock()
	f.retired = true
	f.rid()
}

// rid closes a retired fabric that has no connection. mu is held.
func (f *Fabric) rid() {
	if f.retired && !f.ending && len(f.conns) == 0 {
		f.goes(f.Close)
	}
}

// Close ends all connections.
func (f *Fabric) Close() {
	f.lock()
	if f.ending {
		f.mu.Unlock()
		return
	}
	f.ending = true
	all := make([]*Conn, 0, len(f.conns))
	for _, c := range f.conns {
		all = append(all, c)
	}
	f.mu.Unlock()
	for _, c := range all {
		c.Close(ErrEnded)
	}
	f.lock()
	f.closed = true
	f.poke()
	f.mu.Unlock()
	close(f.closing)
	f.done.Wait()
	f.lock()
	defer f.mu.Unlock()
	for range 1000 { // what has been ended is told
		f.look(1)
	}
	f.release()
}

// release gives back what open has taken, and what connections had, unless the library may still use it.
func (f *Fabric) release() {
	f.closed = true
	if f.wake >= 0 {
		_ = unix.Close(f.wake)
	}
	if f.unsettled.Load() {
		return
	}
	if f.arena != nil {
		f.end()
	}
	for _, c := range f.dying {
		c.arena.free()
	}
	f.dying = nil
	if f.arena != nil {
		f.arena.free()
	}
}
