//go:build !static

package worker

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
	"golang.org/x/sys/unix"
)

// guardBytes is what is forbidden below a stack, at least: more than the frames of
// most functions, so that a frame cannot step over it.
const guardBytes = 1 << 20

// goStack is what Go's own frames take of the stack that C code runs on.
const goStack = 64 << 10

// maxThreads is how many threads of other stack sizes Go may have before this fails.
const maxThreads = 64

// threads is the part of the C library's interface that sets the size of stacks.
// Go makes threads with its default attributes.
type threads struct{ initialize, setSize, setDefault, self, get, getStack uintptr }

func newThreads() (*threads, error) {
	t := &threads{}
	for name, to := range map[string]*uintptr{
		"pthread_attr_init":          &t.initialize,
		"pthread_attr_setstacksize":  &t.setSize,
		"pthread_setattr_default_np": &t.setDefault,
		"pthread_self":               &t.self,
		"pthread_getattr_np":         &t.get,
		"pthread_attr_getstack":      &t.getStack,
	} {
		a, err := purego.Dlsym(purego.RTLD_DEFAULT, name)
		if err != nil {
			return nil, fmt.Errorf("the C library has no %s: %w", name, err)
		}
		*to = a
	}
	return t, nil
}

// call calls a function that returns an error number.
func (t *threads) call(f uintptr, args ...uintptr) error {
	if r, _, _ := purego.SyscallN(f, args...); int32(r) != 0 {
		return unix.Errno(r)
	}
	return nil
}

// onStack runs f on a thread whose stack has the given size and a wide guard below
// it, and says where the guard is. All threads that Go starts from here on have such
// stacks; those that it needs at all are started here (threads.go).
func onStack(size int64, f func(guard span) error) error {
	t, err := newThreads()
	if err != nil {
		return err
	}
	// C memory, because Go's may move: an attribute object of at most 128 bytes.
	memory, err := guarded(4096, -1, true)
	if err != nil {
		return err
	}
	defer memory.free()
	attributes := uintptr(memory.at)
	page := int64(unix.Getpagesize())
	want := uintptr((size + guardBytes + goStack + page - 1) / page * page)
	err = t.call(t.initialize, attributes)
	if err == nil {
		err = t.call(t.setSize, attributes, want)
	}
	if err == nil {
		err = t.call(t.setDefault, attributes)
	}
	if err != nil {
		return fmt.Errorf("stacks of %d bytes: %w", want, err)
	}
	startThreads(idleThreads)
	return t.search(want, want-guardBytes, f)
}

// search takes one thread after the other until it has one with a stack of the size
// that new ones now have. It holds those it does not want until then, for else they would
// come again; they are the few that Go began with. Everything below the part to use
// becomes the guard.
func (t *threads) search(size, use uintptr, f func(guard span) error) error {
	done, next, over := make(chan error), make(chan struct{}), make(chan struct{})
	var held sync.WaitGroup
	for range maxThreads {
		go func() {
			runtime.LockOSThread()
			lo, hi, err := t.stack()
			if err == nil && hi-lo < size-uintptr(unix.Getpagesize()) {
				held.Add(1)
				next <- struct{}{}
				<-over
				runtime.UnlockOSThread() // it stays, for Go to use
				held.Done()
				return
			}
			close(over)
			held.Wait()
			settleThreads()
			guard := span{uint64(lo), uint64(hi - use)}
			if err == nil {
				err = forbid(guard)
			}
			if err == nil {
				err = f(guard)
			}
			done <- err
		}()
		select {
		case err := <-done:
			return err
		case <-next:
		}
	}
	close(over)
	return fmt.Errorf("none of %d threads has a stack of %d bytes", maxThreads, size)
}

// stack gives the bounds of this thread's stack. That of the first thread, which is
// not mapped as a whole, has none.
func (t *threads) stack() (lo, hi uintptr, err error) {
	if unix.Gettid() == unix.Getpid() {
		return 0, 0, nil
	}
	memory, err := guarded(4096, -1, true)
	if err != nil {
		return 0, 0, err
	}
	defer memory.free()
	attributes := uintptr(memory.at)
	at, result := attributes+1024, (*[2]uintptr)(unsafe.Add(memory.at, 1024))
	self, _, _ := purego.SyscallN(t.self)
	if err := t.call(t.get, self, attributes); err != nil {
		return 0, 0, fmt.Errorf("pthread_getattr_np: %w", err)
	}
	if err := t.call(t.getStack, attributes, at, at+8); err != nil {
		return 0, 0, fmt.Errorf("pthread_attr_getstack: %w", err)
	}
	return result[0], result[0] + result[1], nil
}

// forbid makes the guard below a stack.
func forbid(guard span) error {
	_, _, errno := unix.Syscall(unix.SYS_MPROTECT, uintptr(guard.lo), uintptr(guard.hi-guard.lo), unix.PROT_NONE)
	if errno != 0 {
		return fmt.Errorf("the guard of the stack: %w", errno)
	}
	return nil
}
