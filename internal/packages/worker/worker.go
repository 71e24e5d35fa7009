// Package worker runs the native code of signed packages in processes of their
// own, one for each package: with rlimits, a seccomp filter, and nothing mapped but
// the code, its libraries, the payload and the regions it was granted. A worker
// that crashes, hangs or is killed fails the call it was in, and the node goes on. It
// has one thread for the code, starts none, and is ended when it does something between
// calls (watch.go).
//
// The node's side starts a worker (process.go), talks to it (frame.go, message.go)
// and says how it ended (ending.go); it believes nothing that a worker writes. The
// worker's side (serve.go) links the code, gives it the functions of godwit.h
// (api.go) and closes the sandbox (confine.go, filter.go) before the first call.
package worker

import (
	"errors"
	"log/slog"
	"strings"
	"time"
)

// Limits of one worker process. A field that is 0 or less has the value given here.
type Limits struct {
	Memory int64         // bytes of address space beyond what an idle worker has; 1 GiB
	Stack  int64         // bytes of the stack that X_main runs on; 8 MiB
	CPU    time.Duration // processor time of one call; 10 s. By the clock, a call may take 20 times as long
	Sends  int           // parcels that one call may send; 1024
	Bytes  int64         // of payloads and reply of one call; 16 MiB
}

// patience is how much longer than Limits.CPU a call may take by the clock: it may
// wait, but not forever.
const patience = 20

// loadTime is what starting and linking may take.
const loadTime = 10 * time.Second

func (l Limits) withDefaults() Limits {
	if l.Memory <= 0 {
		l.Memory = 1 << 30
	}
	if l.Stack <= 0 {
		l.Stack = 8 << 20
	}
	if l.CPU <= 0 {
		l.CPU = 10 * time.Second
	}
	if l.Sends <= 0 {
		l.Sends = 1024
	}
	if l.Bytes <= 0 {
		l.Bytes = 16 << 20
	}
	return l
}

// Program is what a worker is for.
type Program struct {
	ID      string   // whole hash of what it is; programs of one ID share a worker
	Name    string   // X; X_main is called
	Object  []byte   // a relocatable object for this processor
	Deps    []string // shared libraries, loaded before the sandbox closes; names, not paths
	Exports []string // further libraries whose functions gw_function finds, by the node's operator
}

// Options are the choices of a Pool.
type Options struct {
	Program []string // command line of a worker, which calls Serve on its standard input and output; its environment is empty
	Limits  Limits
	Most    int // workers at once, 16; the least recently used ends
	// Memory is what all workers together may hold, in bytes, between calls too; 4 GiB, or
	// half of the machine's if that is less. Beyond it the biggest idle workers end, and
	// then the biggest that is in a call.
	Memory int64
	Log    *slog.Logger
	// Unconfined runs packages without the seccomp filter, where the kernel has
	// none (emulators). Whoever can sign packages can then do what the node can.
	Unconfined bool
}

// Times says where the time of Load went.
type Times struct{ Start, Link time.Duration }

// Grant is a region under the name by which gw_region finds it.
type Grant struct {
	Name   string
	Region *Region
	Write  bool
}

// Call is one run of X_main, or with Init of X_payload_bound and X_payload_init.
type Call struct {
	Payload []byte   // a copy of it is what X_main gets, and may change
	Init    bool     // Payload holds the user's arguments; the reply is the payload made of them
	Self    uint32   // gw_node
	Nodes   []uint32 // gw_nodes: all that are alive, ascending
	Grants  []Grant  // at most 64
}

// Outcome is what a call did.
type Outcome struct {
	Replied bool
	Reply   []byte
	Sends   []Send
	Run     time.Duration
}

// Send is a package to be started on a node, at the call's wish.
type Send struct {
	To      uint32
	Package string // name or hexadecimal hash; "" is the package itself
	Payload []byte
}

// ErrNotLoaded is what Call gives for a program without a worker: it was never
// loaded, or its worker ended since (a crash, Drop, or Options.Most). Load it again.
var ErrNotLoaded = errors.New("the package is not loaded")

// ErrClosed is what a pool gives after Close.
var ErrClosed = errors.New("the workers have been ended")

// Error says how a worker ended or why it refused.
type Error struct {
	ID    string // the program's
	Name  string // the program's; "" if it is not known
	How   string // "null pointer at …", "stack overflow", "system call socket is forbidden"
	Cause error  // the context's error where that ended the worker
}

func (e *Error) Error() string { return "package " + label(e.Name, e.ID) + ": " + e.How }

// label is a program for people: its name, and enough of its hash to tell it from others.
func label(name, id string) string { return strings.TrimSpace(name + " " + id[:min(len(id), 12)]) }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }
