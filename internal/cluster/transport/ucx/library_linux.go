//go:build (amd64 || arm64) && !static

package ucx

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library is the functions of libucp that are used.
type library struct {
	statusString, configRead, configModify, configRelease, init, cleanup            uintptr
	workerCreate, workerDestroy, workerAddress, releaseAddress, workerFD, workerArm uintptr
	progress, setHandler, endpointCreate, endpointClose, send, requestFree          uintptr
}

// load finds the library with the first call. The error wraps ErrNone.
var load = sync.OnceValues(func() (*library, error) {
	// Loading UCX replaces this process's handlers of SIGSEGV and others, and hooks mmap, unless told
	// not to by C's environment, which is not Go's.
	libc, err := purego.Dlopen("libc.so.6", purego.RTLD_NOW)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	setenv, err := purego.Dlsym(libc, "setenv")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNone, err)
	}
	for _, v := range []struct {
		name, value string
		force       uintptr
	}{
		{"UCX_HANDLE_ERRORS", "none", 1}, {"UCX_DEBUG_SIGNO", "0", 1}, {"UCX_MEM_EVENTS", "n", 1}, {"UCX_VFS_ENABLE", "n", 1},
		{"UCX_WARN_UNUSED_ENV_VARS", "n", 0},
		{"UCX_LOG_LEVEL", "fatal", 0}, // it writes to standard output, and errors are told anyway
	} {
		name, value := text(v.name), text(v.value)
		purego.SyscallN(setenv, address(name), address(value), v.force)
		runtime.KeepAlive(name)
		runtime.KeepAlive(value)
	}
	low, err := purego.Dlopen("libucs.so.0", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, missing(err)
	}
	high, err := purego.Dlopen("libucp.so.0", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, missing(err)
	}
	l := &library{}
	for _, f := range []struct {
		at   *uintptr
		from uintptr
		name string
	}{
		{&l.statusString, low, "ucs_status_string"},
		{&l.configRead, high, "ucp_config_read"}, {&l.configModify, high, "ucp_config_modify"}, {&l.configRelease, high, "ucp_config_release"},
		{&l.init, high, "ucp_init_version"}, {&l.cleanup, high, "ucp_cleanup"},
		{&l.workerCreate, high, "ucp_worker_create"}, {&l.workerDestroy, high, "ucp_worker_destroy"},
		{&l.workerAddress, high, "ucp_worker_get_address"}, {&l.releaseAddress, high, "ucp_worker_release_address"},
		{&l.workerFD, high, "ucp_worker_get_efd"}, {&l.workerArm, high, "ucp_worker_arm"},
		{&l.progress, high, "ucp_worker_progress"}, {&l.setHandler, high, "ucp_worker_set_am_recv_handler"},
		{&l.endpointCreate, high, "ucp_ep_create"}, {&l.endpointClose, high, "ucp_ep_close_nbx"},
		{&l.send, high, "ucp_am_send_nbx"}, {&l.requestFree, high, "ucp_request_free"},
	} {
		if *f.at, err = purego.Dlsym(f.from, f.name); err != nil {
			return nil, missing(err)
		}
	}
	return l, nil
})

func missing(err error) error {
	return fmt.Errorf("%w: its library cannot be loaded; install it (Debian: libucx0, version 1.13 or later): %w", ErrNone, err)
}

// Installed says why there is no UCX here; nil if there is.
func Installed() error {
	_, err := load()
	return err
}

// check makes an error of a status. Results that are pointers are small negative numbers where they are errors.
func (l *library) check(what string, status uintptr) error {
	if s := int32(status); s < 0 {
		return fmt.Errorf("UCX cannot %s: %s (%d)", what, l.reason(s), s)
	}
	return nil
}

func (l *library) reason(status int32) string {
	at, _, _ := purego.SyscallN(l.statusString, uintptr(uint32(status)))
	return stringAt(at)
}

// failedPointer says that a result in a pointer's place is an error.
func failedPointer(p uintptr) bool { return p > ^uintptr(0)-uintptr(-statusLast) }

func text(s string) *byte { return &append([]byte(s), 0)[0] }

func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// at is memory of the library, or of an arena.
func at[T any](a uintptr) *T { return *(**T)(unsafe.Pointer(&a)) }

func stringAt(a uintptr) string {
	if a == 0 {
		return ""
	}
	n := 0
	for *at[byte](a + uintptr(n)) != 0 {
		n++
	}
	return string(unsafe.Slice(at[byte](a), n))
}

// cgocall runs a C function on the thread's own stack, as cgo does. That it is there without cgo is purego's doing.
//
//go:linkname cgocall runtime.cgocall
func cgocall(fn uintptr, args unsafe.Pointer) int32

// Addresses of the functions of the assembler.
var takeAt, sentAt, failedAt, lookAt, callAt uintptr
