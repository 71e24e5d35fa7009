package object

import (
	"debug/elf"
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// link makes the image: memory, bytes, addresses, relocations, protection.
func (l *layout) link(resolve Resolve) (*Image, error) {
	memory, err := reserve(l.starts[segments])
	if err != nil {
		return nil, err
	}
	addresses, err := l.fill(memory, resolve)
	if err == nil {
		err = l.protect(memory)
	}
	if err != nil {
		return nil, errors.Join(err, release(memory))
	}
	return &Image{memory: memory, symbols: l.exports(addresses)}, nil
}

// fill writes the image and gives the addresses of all symbols.
func (l *layout) fill(memory []byte, resolve Resolve) ([]uint64, error) {
	base := address(memory)
	for i := range l.sections {
		if l.segmentOf[i] != none {
			copy(memory[l.place[i]:], l.sections[i].data)
		}
	}
	addresses, missing := l.resolve(base, resolve)
	for i, slot := range l.slots {
		order.PutUint64(memory[slot:], addresses[i])
	}
	for i, stub := range l.stubs {
		l.machine.stub(memory[stub:], base+stub, base+l.slots[i])
	}
	return addresses, l.relocations(func(in int, r relocation) error {
		err := error(nil)
		if missing[r.symbol] {
			err = fmt.Errorf("the symbol is not defined, neither in the object nor in what it may use")
		} else {
			err = l.relocate(memory, base, addresses[r.symbol], in, r)
		}
		if err != nil {
			return l.failed(in, r, err)
		}
		return nil
	})
}

// resolve gives the address of each symbol, and which of them have none.
func (l *layout) resolve(base uint64, find Resolve) (addresses []uint64, missing map[uint32]bool) {
	addresses, missing = make([]uint64, len(l.symbols)), map[uint32]bool{}
	for n := range l.symbols {
		i, s := uint32(n), &l.symbols[n]
		switch {
		case s.section == elf.SHN_ABS:
			addresses[i] = s.value
		case s.section == elf.SHN_COMMON:
			addresses[i] = base + l.commons[i]
		case s.section != elf.SHN_UNDEF:
			addresses[i] = base + l.place[s.section] + s.value
		case s.used && i != 0:
			a, ok := uintptr(0), false
			if find != nil {
				a, ok = find(s.name)
			}
			addresses[i] = uint64(a)
			missing[i] = !ok && s.bind != elf.STB_WEAK
		}
	}
	return addresses, missing
}

// relocate fills in one place. A call that does not reach goes through the stub,
// which reaches everywhere.
func (l *layout) relocate(memory []byte, base, symbol uint64, in int, r relocation) error {
	at := l.place[in] + r.offset
	f, p := l.machine.forms[r.kind], base+at
	if f.slot {
		symbol = base + l.slots[r.symbol]
	}
	if f.put == nil {
		return nil
	}
	err := f.put(memory[at:], p, symbol+uint64(r.addend))
	if stub, ok := l.stubs[r.symbol]; err != nil && f.call && ok {
		symbol = base + stub
		err = f.put(memory[at:], p, symbol+uint64(r.addend))
	}
	if err != nil {
		return fmt.Errorf("the value %#x, from address %#x, %w", symbol+uint64(r.addend), p, err)
	}
	return nil
}

// exports are the symbols that others find by name.
func (l *layout) exports(addresses []uint64) map[string]uintptr {
	m := map[string]uintptr{}
	for i := range l.symbols {
		if s := &l.symbols[i]; s.exported() && (!inSection(s) || l.segmentOf[s.section] != none) {
			m[s.name] = uintptr(addresses[i])
		}
	}
	return m
}

// protect ends writing: from here on code is executable, and only variables are
// writable.
func (l *layout) protect(memory []byte) error {
	flush(memory[l.starts[code]:l.starts[constants]])
	for g, protection := range map[segment]int{code: unix.PROT_READ | unix.PROT_EXEC, constants: unix.PROT_READ} {
		part := memory[l.starts[g]:l.starts[g+1]]
		if len(part) == 0 {
			continue
		}
		if err := unix.Mprotect(part, protection); err != nil {
			return fmt.Errorf("the system does not let %d bytes of an image become executable or read-only: %w", len(part), err)
		}
	}
	return nil
}

// reserve maps zero bytes that can be written.
func reserve(n uint64) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	memory, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, fmt.Errorf("%d bytes for an image cannot be mapped: %w", n, err)
	}
	return memory, nil
}

func release(memory []byte) error {
	if memory == nil {
		return nil
	}
	if err := unix.Munmap(memory); err != nil {
		return fmt.Errorf("object: an image cannot be unmapped: %w", err)
	}
	return nil
}

func address(memory []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(memory)))) }
