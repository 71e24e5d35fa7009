package worker

import (
	"bytes"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/pattern"
)

// What functions of godwit.h return.
const (
	gwOK        = 0
	gwLimit     = -1
	gwNode      = -2
	gwPackage   = -3
	gwReplied   = -4
	gwArgument  = -5
	gwForbidden = -6
)

// logBytes is how much of a text gw_log writes.
const logBytes = 1024

// packageName is a name (a C identifier of at most 64 characters) or a hash.
var packageName = pattern.Of(`^([A-Za-z_][A-Za-z0-9_]{0,63}|[0-9a-fA-F]{64})$`)

// region is a granted region where it is mapped.
type region struct {
	memory *mapping
	size   int64
}

// api is the functions of godwit.h and what they collect in a call. Without a filter the
// code may have threads of its own, so all of it is guarded.
type api struct {
	libraries []uintptr // for gw_function
	sends     int
	bytes     int64 // limits

	mu       sync.Mutex
	question *question // nil between calls
	regions  map[string]region
	outcome  *Outcome
	total    int64 // of bytes in the outcome
}

func (a *api) begin(q *question, regions map[string]region) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.question, a.regions, a.outcome, a.total = q, regions, &Outcome{}, 0
}

func (a *api) end() *Outcome {
	a.mu.Lock()
	defer a.mu.Unlock()
	o := a.outcome
	a.question, a.regions, a.outcome = nil, nil, nil
	return o
}

// made takes the payload that X_payload_init wrote as the reply.
func (a *api) made(b []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.outcome.Replied, a.outcome.Reply = true, bytes.Clone(b)
}

// functions gives the addresses under which the code calls the api.
func (a *api) functions() map[string]uintptr {
	return map[string]uintptr{
		"gw_node":         callback(a.node),
		"gw_nodes":        callback(a.nodes),
		"gw_region":       callback(a.region),
		"gw_function":     callback(a.function),
		"gw_self_forward": callback(a.forward),
		"gw_send":         callback(a.send),
		"gw_reply":        callback(a.reply),
		"gw_log":          callback(a.log),
	}
}

func (a *api) node() uintptr {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.question == nil {
		return 0
	}
	return uintptr(a.question.self)
}

func (a *api) nodes(ids unsafe.Pointer, most uintptr) uintptr {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.question == nil {
		return 0
	}
	n := len(a.question.nodes)
	if ids != nil {
		copy(unsafe.Slice((*uint32)(ids), min(uintptr(n), most)), a.question.nodes)
	}
	return uintptr(n)
}

func (a *api) region(name, size unsafe.Pointer) uintptr {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.regions[cString(name)]
	if size != nil {
		*(*uint64)(size) = uint64(r.size)
	}
	if !ok {
		return 0
	}
	return uintptr(r.memory.at)
}

func (a *api) function(name unsafe.Pointer) uintptr {
	address, _ := find(a.libraries, cString(name))
	return address
}

func (a *api) forward(node uint32, payload unsafe.Pointer, size uintptr) uintptr {
	return code32(a.collect(Send{To: node}, payload, size))
}

func (a *api) send(name unsafe.Pointer, node uint32, payload unsafe.Pointer, size uintptr) uintptr {
	s := Send{To: node, Package: cString(name)}
	if !packageName().MatchString(s.Package) {
		return code32(gwPackage)
	}
	return code32(a.collect(s, payload, size))
}

func (a *api) collect(s Send, payload unsafe.Pointer, size uintptr) int32 {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.question == nil || a.question.init:
		return gwForbidden
	case payload == nil && size > 0:
		return gwArgument
	case !slices.Contains(a.question.nodes, s.To):
		return gwNode
	case len(a.outcome.Sends) >= a.sends || uint64(size) > uint64(a.bytes-a.total):
		return gwLimit
	}
	s.Payload = bytes.Clone(unsafe.Slice((*byte)(payload), size))
	a.total += int64(size)
	a.outcome.Sends = append(a.outcome.Sends, s)
	return gwOK
}

func (a *api) reply(data unsafe.Pointer, size uintptr) uintptr {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.question == nil || a.question.init:
		return code32(gwForbidden)
	case data == nil && size > 0:
		return code32(gwArgument)
	case a.outcome.Replied:
		return code32(gwReplied)
	case uint64(size) > uint64(a.bytes-a.total):
		return code32(gwLimit)
	}
	a.outcome.Replied, a.outcome.Reply = true, bytes.Clone(unsafe.Slice((*byte)(data), size))
	a.total += int64(size)
	return gwOK
}

// log writes to standard error, which the node reads. A whole line is one write.
func (a *api) log(text unsafe.Pointer) {
	unix.Write(2, append([]byte(cString(text)), '\n'))
}

// code32 is an int as the C calling convention returns it.
func code32(n int32) uintptr { return uintptr(uint32(n)) }

// cString copies a text that ends with 0, but no more than logBytes of it; "" for NULL.
func cString(p unsafe.Pointer) string {
	if p == nil {
		return ""
	}
	var b []byte
	for len(b) < logBytes {
		c := *(*byte)(unsafe.Add(p, len(b)))
		if c == 0 {
			break
		}
		b = append(b, c)
	}
	return string(b)
}
