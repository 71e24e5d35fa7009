package engine

import (
	"errors"
	"unsafe"

	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/ir/kernel"
)

// scratch is zeroed memory for a Scratch region: of the arena, or beside it where that has no
// room and the code reaches all memory.
type scratch struct {
	region int
	off    int64 // from the arena's beginning
	bytes  []byte
	span   mem.Span
	fresh  bool // bytes are from mem.Fresh
}

// lend gives all Scratch regions of a kernel memory until takeBack.
func (c *Compiled) lend(sizes []int64) (list []scratch, err error) {
	for i, r := range c.Kernel.Regions {
		if r.Access != kernel.Scratch {
			continue
		}
		n, _ := kernel.EvalPoly(r.Len, sizes)
		s, err := c.scratchOf(n * int64(r.Elem.Size()))
		if err != nil {
			c.takeBack(list)
			return nil, err
		}
		s.region = i
		list = append(list, s)
	}
	return list, nil
}

func (c *Compiled) scratchOf(n int64) (scratch, error) {
	s, err := c.arena.AllocSmall(n)
	if err == nil {
		return scratch{off: s.Off, bytes: c.arena.Bytes(s.Off, n), span: s}, nil
	}
	if full := (*mem.FullError)(nil); !errors.As(err, &full) || !c.ReachesAll() || n > mem.Available() {
		return scratch{}, err
	}
	b, err := mem.Fresh(n)
	if err != nil {
		return scratch{}, err
	}
	return scratch{off: distance(c.arena, b), bytes: b, fresh: true}, nil
}

func (c *Compiled) takeBack(list []scratch) {
	for _, s := range list {
		if s.fresh {
			_ = mem.Unmap(s.bytes)
		} else {
			c.arena.Free(s.span)
		}
	}
}

// wipe zeroes what an earlier slice has used.
func wipe(list []scratch) {
	for _, s := range list {
		clear(s.bytes)
	}
}

// distance is how far from the arena's beginning b lies.
func distance(a *mem.Arena, b []byte) int64 {
	return int64(uintptr(unsafe.Pointer(unsafe.SliceData(b))) - uintptr(unsafe.Pointer(unsafe.SliceData(a.All()))))
}
