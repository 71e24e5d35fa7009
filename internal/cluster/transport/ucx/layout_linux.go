//go:build (amd64 || arm64) && !static

package ucx

import "unsafe"

// Structures of UCX's interface, version 1.13, as C lays them out on amd64 and arm64. Later versions add
// fields at the end only: a mask says which ones are given. All lie in memory that Go neither moves nor frees
// (arena), since the library may keep their addresses.

type contextParams struct {
	mask, features uint64
	_              [8]uint64 // requests' size and life, tags, numbers of peers, name
}

type workerParams struct {
	mask       uint64
	threadMode uint32
	_          uint32
	_          [23]uint64 // processors, events, user's data, descriptor, flags, name, alignment, client
}

type endpointParams struct {
	mask      uint64
	address   uintptr
	errorMode uint32
	_         uint32
	onError   uintptr
	errorArg  uintptr
	_         [8]uint64 // user's data, flags, sockets, request, name
}

type requestParam struct {
	mask, flags uint32
	_           uintptr // request
	callback    uintptr
	_           uint64 // datatype: bytes
	userData    uintptr
	_           [4]uint64 // reply, kind of memory, what was received, memory
}

type handlerParam struct {
	mask     uint64
	id       uint32
	flags    uint32
	callback uintptr
	arg      uintptr
}

var (
	_ [80 - unsafe.Sizeof(contextParams{})]struct{}
	_ [unsafe.Sizeof(contextParams{}) - 80]struct{}
	_ [200 - unsafe.Sizeof(workerParams{})]struct{}
	_ [unsafe.Sizeof(workerParams{}) - 200]struct{}
	_ [104 - unsafe.Sizeof(endpointParams{})]struct{}
	_ [unsafe.Sizeof(endpointParams{}) - 104]struct{}
	_ [72 - unsafe.Sizeof(requestParam{})]struct{}
	_ [unsafe.Sizeof(requestParam{}) - 72]struct{}
	_ [32 - unsafe.Sizeof(handlerParam{})]struct{}
	_ [unsafe.Sizeof(handlerParam{}) - 32]struct{}
)

// Constants of UCX's interface.
const (
	apiMajor, apiMinor = 1, 13

	fieldFeatures   = 1
	featureWakeup   = 0x10
	featureMessages = 0x40

	fieldThreadMode = 1
	serialized      = 1 // calls come from any thread, one at a time

	fieldAddress, fieldErrorMode, fieldErrorHandler = 1, 2, 4
	errorModePeer                                   = 1

	fieldCallback, fieldUserData, fieldFlags = 2, 4, 0x10
	sendEager                                = 2 // of the flags of an active message
	closeForce                               = 1

	handlerAll   = 1 | 2 | 4 | 8
	wholeMessage = 1

	statusBusy = -15
	statusLast = -100
)

// What the assembler reads and writes; see worker_amd64.s.

type inbox struct {
	head, tail, mask       uint64
	buffer                 uintptr
	capacity               uint64
	lost, foreign, longest uint64
}

type outcome struct {
	flying   uint64
	free     uintptr
	failures uint64
}

type lookArgs struct {
	function, argument uintptr
	head               *uint64
	seen, times        uint64
}

type callArgs struct {
	function uintptr
	args     [7]uintptr
	result   uintptr
}
