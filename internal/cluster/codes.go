package cluster

import (
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/engine"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/suspend"
	"github.com/godwit-run/godwit/internal/ir/verify"
)

// codes remembers what was made of the kernels that this client has sent.
type codes struct {
	mu      sync.Mutex
	bytes   map[*kernel.Kernel]caller.Code
	batches map[string]*batch
	there   map[kernel.ID]bool // that nodes have run
}

// batch is the suspendable form of a kernel, or why there is none.
type batch struct {
	*suspend.Batch
	code caller.Code
	safe *verify.Safe
	err  error

	once      sync.Once // finds what follows
	rounds    *verify.Safe
	roundsErr error
}

// maxCodes is how many kernels are remembered; beyond it all are forgotten,
// which costs a fraction of a millisecond each.
const maxCodes = 1024

// of gives a kernel's canonical bytes and its identity.
func (c *codes) of(k *kernel.Kernel) (caller.Code, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if code, ok := c.bytes[k]; ok {
		return code, nil
	}
	code, err := encode(k)
	if err != nil {
		return code, err
	}
	if len(c.bytes) >= maxCodes || c.bytes == nil {
		c.bytes = map[*kernel.Kernel]caller.Code{}
	}
	c.bytes[k] = code
	return code, nil
}

// went reports that nodes have run a kernel for this client.
func (c *codes) went(code caller.Code) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.there[code.ID]
}

// ran notes that nodes have run a kernel.
func (c *codes) ran(code caller.Code) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.there) >= maxCodes || c.there == nil {
		c.there = map[kernel.ID]bool{}
	}
	c.there[code.ID] = true
}

func encode(k *kernel.Kernel) (caller.Code, error) {
	b, err := kernel.Encode(k)
	if err != nil {
		return caller.Code{}, err
	}
	return caller.Code{ID: kernel.Hash(b), Bytes: b}, nil
}

// suspended gives the suspendable form of a compiled kernel whose regions far
// lie elsewhere.
func (c *codes) suspended(k *engine.Compiled, far suspend.Widths) *batch {
	key := string(k.Hash[:])
	for r := range k.Kernel.Regions {
		if w, ok := far[r]; ok {
			key += string([]byte{byte(r), byte(w), byte(w >> 8), byte(w >> 16), byte(w >> 24)})
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, ok := c.batches[key]; ok {
		return b
	}
	b := suspendKernel(k.Kernel, far)
	if len(c.batches) >= maxCodes || c.batches == nil {
		c.batches = map[string]*batch{}
	}
	c.batches[key] = b
	return b
}

func suspendKernel(k *kernel.Kernel, far suspend.Widths) *batch {
	s, err := suspend.Make(k, far)
	if err != nil {
		return &batch{err: err}
	}
	b := &batch{Batch: s}
	if b.safe, b.err = verify.Check(s.Kernel); b.err == nil {
		b.code, b.err = encode(s.Kernel)
	}
	return b
}
