package data

import (
	"bytes"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: codes, and a predicate. Out: whether one of them satisfies it. The search ends at the first that does, so that it is short where it does not pay.

func satisfiable(codes []byte, k num.Kind, p Pred) bool {
	lo, hi := int64(0), int64(k.MaxInt())
	with := max(-1, min(p.Int, hi+1)) // compares with codes as the constant does
	switch p.Op {
	case Eq:
		lo, hi = max(lo, with), min(hi, with)
	case Lt:
		hi = min(hi, with-1)
	case Le:
		hi = min(hi, with)
	case Gt:
		lo = max(lo, with+1)
	case Ge:
		lo = max(lo, with)
	default:
		return true
	}
	switch {
	case lo > hi:
		return false
	case k == num.U8 && lo == hi:
		return bytes.IndexByte(codes, byte(lo)) >= 0
	case k == num.U8:
		return anyWithin(codes, uint8(lo), uint8(hi))
	case k == num.U16:
		return anyWithin(view[uint16](codes), uint16(lo), uint16(hi))
	case k == num.U32:
		return anyWithin(view[uint32](codes), uint32(lo), uint32(hi))
	}
	return true
}

func anyWithin[T uint8 | uint16 | uint32](codes []T, lo, hi T) bool {
	for _, c := range codes {
		if c-lo <= hi-lo {
			return true
		}
	}
	return false
}
