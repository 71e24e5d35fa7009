package elaborate

import (
	"math"
	"math/big"
)

// The exact values of the elementary functions, to far more digits than are compared.

func bigAdd(x, y *big.Float) *big.Float { return newBig().Add(x, y) }
func bigSub(x, y *big.Float) *big.Float { return newBig().Sub(x, y) }
func bigMul(x, y *big.Float) *big.Float { return newBig().Mul(x, y) }
func bigQuo(x, y *big.Float) *big.Float { return newBig().Quo(x, y) }
func bigSqrt(x *big.Float) *big.Float   { return newBig().Sqrt(x) }
func bigHalf(x *big.Float) *big.Float   { return newBig().SetMantExp(x, -1) }

var ln2, ln10 = lnOf(bf(2)), lnOf(bf(10))

// lnOf starts from the float logarithm and takes Newton steps.
func lnOf(x *big.Float) *big.Float {
	m := newBig()
	exp := x.MantExp(m)
	frac, _ := m.Float64()
	y := bf(math.Log(frac) + float64(exp)*math.Ln2)
	for range 2 { // each trebles the digits
		e := bigExpOf(y)
		y.Add(y, bigMul(bf(2), bigQuo(bigSub(x, e), bigAdd(x, e))))
	}
	return y
}

func bigPower2(x float64) *big.Float { return bigExpOf(bigMul(ln2, bf(x))) }
func bigExpM1(x float64) *big.Float  { return bigSub(bigExp(x), bf(1)) }
func bigLn1p(x float64) *big.Float   { return lnOf(bigAdd(bf(1), bf(x))) }
func bigLog10(x float64) *big.Float  { return bigQuo(bigLn(x), ln10) }

func bigTan(x float64) *big.Float { return bigQuo(bigSin(x), bigCos(x)) }

// atanOf takes Newton steps for tan y = x, |x| <= 1.
func atanOf(x *big.Float) *big.Float {
	start, _ := x.Float64()
	if math.Abs(start) > 1 {
		r := bigSub(bigHalf(bigPi), atanOf(bigQuo(bf(1), newBig().Abs(x))))
		if start < 0 {
			r.Neg(r)
		}
		return r
	}
	y := bf(math.Atan(start))
	for range 2 { // each doubles the digits
		s, c := sinOf(y), sinOf(bigAdd(y, bigHalf(bigPi)))
		y = bigAdd(y, bigMul(c, bigSub(bigMul(x, c), s)))
	}
	return y
}

func bigAtan(x float64) *big.Float { return atanOf(bf(x)) }

func bigAsin(x float64) *big.Float {
	root := bigSqrt(bigMul(bigSub(bf(1), bf(x)), bigAdd(bf(1), bf(x))))
	return bigMul(bf(2), atanOf(bigQuo(bf(x), bigAdd(bf(1), root))))
}

func bigAcos(x float64) *big.Float {
	if x == -1 {
		return bigPi
	}
	root := bigSqrt(bigQuo(bigSub(bf(1), bf(x)), bigAdd(bf(1), bf(x))))
	return bigMul(bf(2), atanOf(root))
}

// bigAtan2 is the angle of the point (x, y) for numbers that are not 0.
func bigAtan2(y, x float64) *big.Float {
	r := atanOf(bigQuo(bf(y), bf(x)))
	switch {
	case x > 0:
		return r
	case y > 0:
		return bigAdd(r, bigPi)
	}
	return bigSub(r, bigPi)
}

func bigSinh(x float64) *big.Float {
	return bigHalf(bigSub(bigExp(x), bigExp(-x)))
}

func bigCosh(x float64) *big.Float {
	return bigHalf(bigAdd(bigExp(x), bigExp(-x)))
}

func bigAsinh(x float64) *big.Float {
	a := newBig().Abs(bf(x))
	r := lnOf(bigAdd(a, bigSqrt(bigAdd(bigMul(a, a), bf(1)))))
	if x < 0 {
		r.Neg(r)
	}
	return r
}

func bigAcosh(x float64) *big.Float {
	return lnOf(bigAdd(bf(x), bigSqrt(bigSub(bigMul(bf(x), bf(x)), bf(1)))))
}

func bigAtanh(x float64) *big.Float {
	return bigHalf(lnOf(bigQuo(bigAdd(bf(1), bf(x)), bigSub(bf(1), bf(x)))))
}

// bigCbrt takes Newton steps from the float's root.
func bigCbrt(x float64) *big.Float {
	y := bf(math.Cbrt(x))
	for range 3 {
		sq := bigMul(y, y)
		y = bigSub(y, bigQuo(bigSub(bigMul(sq, y), bf(x)), bigMul(bf(3), sq)))
	}
	return y
}

func bigHypot(x, y float64) *big.Float {
	return bigSqrt(bigAdd(bigMul(bf(x), bf(x)), bigMul(bf(y), bf(y))))
}
