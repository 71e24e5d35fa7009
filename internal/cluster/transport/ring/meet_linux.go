package ring

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// This file is how two processes meet. The socket's name is abstract: it lies in no directory, ends
// with its process, and reaches as far as loopback does, since it belongs to the network namespace.
// Whoever is first can take any such name, so it says nothing about who listens.

// nameOf is the socket of the peer with an address in a cluster.
func nameOf(cluster, address string) string {
	sum := sha256.Sum256([]byte("godwit ring\x00" + cluster + "\x00" + address))
	return "@godwit-" + hex.EncodeToString(sum[:16])
}

// Listen takes connections of peers on this machine that look for this address.
func Listen(cluster, address string) (net.Listener, error) {
	return net.ListenUnix("unix", &net.UnixAddr{Name: nameOf(cluster, address), Net: "unix"})
}

// Dial connects with the peer that has an address, if it is on this machine; else the error is
// ErrNone.
func Dial(ctx context.Context, cluster, address string) (*net.UnixConn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, "unix", nameOf(cluster, address))
	if errors.Is(err, unix.ECONNREFUSED) {
		return nil, fmt.Errorf("%w: nobody listens for %s on this machine", ErrNone, address)
	}
	if err != nil {
		return nil, err
	}
	u := c.(*net.UnixConn)
	if err := SameUser(u); err != nil {
		return nil, errors.Join(err, u.Close())
	}
	return u, nil
}

// SameUser refuses a far end whose process is neither this user's nor root's. Memory is not
// encrypted as TLS is: who passes on what two peers say to each other while they show their
// certificates could take the memory for itself. These two users can read this process's memory
// and keys in any case.
func SameUser(c net.Conn) error {
	cred, err := farEnd(c)
	if err != nil {
		return err
	}
	return same(cred.Uid, uint32(os.Geteuid()), overflow())
}

// farEnd is who is at the other end of a socket: of one that was dialled, the process that has begun to listen.
func farEnd(c net.Conn) (cred *unix.Ucred, err error) {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return nil, fmt.Errorf("a ring needs a Unix socket, found %T", c)
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return nil, err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { cred, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); err != nil {
		return nil, err
	}
	return cred, failed
}

// Process is the number of the other side's process, if this side has dialled it and its namespace has a number for it.
func (c *Conn) Process() (int, bool) {
	if !c.dialled || c.over.Load() {
		return 0, false
	}
	cred, err := farEnd(c.socket)
	return int(cred.Pid), err == nil && cred.Pid > 0
}

// same is SameUser's decision. All users that this process's namespace does not know are seen as overflow.
func same(far, own, overflow uint32) error {
	switch {
	case far == overflow:
		return fmt.Errorf("%w: the other side runs as user %d, which may be anybody that this user namespace has no number for", ErrNone, far)
	case far != own && far != 0:
		return fmt.Errorf("%w: the other side runs as user %d, this one as %d: memory is shared with the same user, or root, only", ErrNone, far, own)
	}
	return nil
}

// overflow is the number by which all unknown users are seen.
var overflow = sync.OnceValue(func() uint32 {
	text, err := os.ReadFile("/proc/sys/kernel/overflowuid")
	if err == nil {
		var n uint64
		if n, err = strconv.ParseUint(strings.TrimSpace(string(text)), 10, 32); err == nil {
			return uint32(n)
		}
	}
	return 65534 // the kernel's DEFAULT_OVERFLOWUID
})

// Offer makes memory and passes it to the accepting side, which has said that it reads nothing else
// from the socket any more. It waits until that side has mapped it. The socket's deadline bounds all,
// and holds no longer afterwards.
func Offer(c *net.UnixConn, o Options) (*Conn, error) {
	memory, file, err := create()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if _, _, err = c.WriteMsgUnix([]byte{ready}, unix.UnixRights(int(file.Fd())), nil); err == nil {
		err = expectReady(c)
	}
	if err == nil {
		err = c.SetDeadline(time.Time{})
	}
	if err != nil {
		return nil, errors.Join(err, unix.Munmap(memory))
	}
	return newConn(c, memory, true, o)
}

// expectReady reads one byte, or the reason why it does not come.
func expectReady(c *net.UnixConn) error {
	b := make([]byte, 1+mostReason)
	// No more than a byte where that is a ready: bells come after it.
	if _, err := c.Read(b[:1]); err != nil {
		return err
	}
	switch b[0] {
	case ready:
		return nil
	case because:
		n, _ := c.Read(b[1:])
		return errors.New(string(b[1 : 1+n]))
	}
	return broken("byte %d instead of an answer", b[0])
}

// Accept takes the memory that the other side passes, and maps it. The other side is told by Ready. The
// socket's deadline bounds it, and holds no longer afterwards.
func Accept(c *net.UnixConn, o Options) (*Conn, error) {
	memory, err := receive(c)
	if err == nil {
		if err = c.SetDeadline(time.Time{}); err != nil {
			err = errors.Join(err, unix.Munmap(memory))
		}
	}
	if err != nil {
		b := append([]byte{because}, err.Error()...)
		_, _ = c.Write(b[:min(len(b), 1+mostReason)])
		return nil, err
	}
	return newConn(c, memory, false, o)
}

// Ready tells the dialler that its messages are read.
func (c *Conn) Ready() error {
	_, err := c.socket.Write([]byte{ready})
	return err
}

// receive reads one message with one descriptor.
func receive(c *net.UnixConn) ([]byte, error) {
	b := make([]byte, 1)
	rights := make([]byte, unix.CmsgSpace(4*maxPassed))
	n, k, flags, _, err := c.ReadMsgUnix(b, rights)
	if err != nil {
		return nil, err
	}
	fds := passed(rights[:k])
	defer func() {
		for _, fd := range fds {
			discard(fd)
		}
	}()
	if n != 1 || b[0] != ready || len(fds) != 1 || flags&unix.MSG_CTRUNC != 0 {
		return nil, broken("%d bytes and %d files were passed: expected memory alone", n, len(fds))
	}
	return adopt(fds[0])
}

// maxPassed is how many descriptors the kernel lets one message have (SCM_MAX_FD): it closes itself what is
// not taken, however long that takes.
const maxPassed = 253

// closing bounds the descriptors whose closing is not waited for: each may take a thread.
var closing = make(chan struct{}, 16)

// discard closes what a peer has passed. Closing a socket waits for as long as its linger says, and
// closing a file for its file system, which may be the peer's; closing memory does not wait.
func discard(fd int) {
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0); err == nil {
		_ = unix.Close(fd)
		return
	}
	_ = unix.SetsockoptLinger(fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{}) // fails for what is no socket
	select {
	case closing <- struct{}{}:
		go func() {
			_ = unix.Close(fd)
			<-closing
		}()
	default: // its own peer waits then
		_ = unix.Close(fd)
	}
}

// passed are the descriptors of a control message.
func passed(rights []byte) (fds []int) {
	all, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	for i := range all {
		if list, err := unix.ParseUnixRights(&all[i]); err == nil {
			fds = append(fds, list...)
		}
	}
	return fds
}
