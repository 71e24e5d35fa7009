package wasm

import "encoding/binary"

// valType is a WebAssembly value type.
type valType byte

const (
	tI32  valType = 0x7f
	tI64  valType = 0x7e
	tF32  valType = 0x7d
	tF64  valType = 0x7c
	tV128 valType = 0x7b
)

// local is the index of a local variable of the function.
type local int32

// label names an open block, loop or if by the depth it was opened at.
type label int

// code is a function body under construction.
type code struct {
	buf   []byte
	types []valType // of the locals, parameters first
	depth label
	// Locals of type v128 made after the mark are taken again, in order,
	// after recycle: each chunk of a block uses those of the one before.
	pool   []local
	used   int
	pooled bool // new v128 locals come from the pool v128 locals come from the pool
}

// recycle makes the pool's locals free again.
func (c *code) recycle() { c.used = 0 }

func (c *code) op(o opcode) {
	if p := byte(o >> 8); p != 0 {
		c.buf = append(c.buf, p)
		c.buf = binary.AppendUvarint(c.buf, uint64(byte(o)))
		return
	}
	c.buf = append(c.buf, byte(o))
}

func (c *code) ops(list ...opcode) {
	for _, o := range list {
		c.op(o)
	}
}

// lane emits an instruction with a lane number.
func (c *code) lane(o opcode, n int) {
	c.op(o)
	c.buf = append(c.buf, byte(n))
}

func (c *code) newLocal(t valType) local {
	if t != tV128 || !c.pooled {
		return c.keep(t)
	}
	if c.used == len(c.pool) {
		c.pool = append(c.pool, c.keep(t))
	}
	c.used++
	return c.pool[c.used-1]
}

// keep is newLocal for a v128 that outlives its chunk.
func (c *code) keep(t valType) local {
	c.types = append(c.types, t)
	return local(len(c.types) - 1)
}

func (c *code) variable(o opcode, l local) {
	c.op(o)
	c.buf = binary.AppendUvarint(c.buf, uint64(l))
}

func (c *code) get(l local) { c.variable(opLocalGet, l) }
func (c *code) set(l local) { c.variable(opLocalSet, l) }
func (c *code) tee(l local) { c.variable(opLocalTee, l) }

// fresh pops the top of the stack into a new local.
func (c *code) fresh(t valType) local {
	l := c.newLocal(t)
	c.set(l)
	return l
}

func (c *code) i32(n int32) {
	c.op(opI32Const)
	c.buf = appendSigned(c.buf, int64(n))
}

func (c *code) i64(n int64) {
	c.op(opI64Const)
	c.buf = appendSigned(c.buf, n)
}

func (c *code) f32(bits uint32) {
	c.op(opF32Const)
	c.buf = binary.LittleEndian.AppendUint32(c.buf, bits)
}

func (c *code) f64(bits uint64) {
	c.op(opF64Const)
	c.buf = binary.LittleEndian.AppendUint64(c.buf, bits)
}

// v128 is the vector constant with these low and high halves.
func (c *code) v128(lo, hi uint64) {
	c.op(opVConst)
	c.buf = binary.LittleEndian.AppendUint64(c.buf, lo)
	c.buf = binary.LittleEndian.AppendUint64(c.buf, hi)
}

func (c *code) shuffle(lanes [16]byte) {
	c.op(opVShuffle)
	c.buf = append(c.buf, lanes[:]...)
}

// mem emits a load or store at a static offset; the alignment hint is left
// at one byte, which promises nothing.
func (c *code) mem(o opcode, offset uint32) {
	c.op(o)
	c.buf = append(c.buf, 0)
	c.buf = binary.AppendUvarint(c.buf, uint64(offset))
}

const voidType = 0x40

func (c *code) open(o opcode) label {
	c.op(o)
	c.buf = append(c.buf, voidType)
	c.depth++
	return c.depth
}

func (c *code) block() label { return c.open(opBlock) }
func (c *code) loop() label  { return c.open(opLoop) }
func (c *code) ifThen()      { c.open(opIf) }
func (c *code) otherwise()   { c.op(opElse) }

func (c *code) end() {
	c.op(opEnd)
	c.depth--
}

func (c *code) br(to label)   { c.jump(opBr, to) }
func (c *code) brIf(to label) { c.jump(opBrIf, to) }

func (c *code) jump(o opcode, to label) {
	c.op(o)
	c.buf = binary.AppendUvarint(c.buf, uint64(c.depth-to))
}

func (c *code) call(f uint64) {
	c.op(opCall)
	c.buf = binary.AppendUvarint(c.buf, f)
}

// addTo emits l += n for an i32 local.
func (c *code) addTo(l local, n int32) {
	c.get(l)
	c.i32(n)
	c.op(opI32Add)
	c.set(l)
}

// appendSigned is signed LEB128.
func appendSigned(b []byte, n int64) []byte {
	for {
		low := byte(n & 0x7f)
		n >>= 7
		if (n == 0 && low&0x40 == 0) || (n == -1 && low&0x40 != 0) {
			return append(b, low)
		}
		b = append(b, low|0x80)
	}
}

// memLane is mem for the loads and stores of one lane.
func (c *code) memLane(o opcode, offset uint32, lane byte) {
	c.mem(o, offset)
	c.buf = append(c.buf, lane)
}
