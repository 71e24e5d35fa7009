package graph

var opNames = [ops]string{
	BadOp: "bad", Param: "param", Const: "const", SizeVal: "size", Spread: "spread", Arith: "arith", Cast: "cast", Bits: "bits", If: "if",
	MakeTuple: "tuple", Get: "get", Some: "some", Nothing: "none", IsSome: "is_some", Unwrap: "unwrap",
	Clamp: "clamp", Wrap: "wrap", Check: "check", At: "at",
	Map: "map", Filter: "filter", Compact: "compact", Limit: "limit", Reduce: "reduce", KeyedReduce: "keyed_reduce",
	Fold: "fold", Scan: "scan", Scatter: "scatter", Update: "update", Sort: "sort", TopK: "top_k", Loop: "loop",
}

// String is the operation's name in printed graphs.
func (o Op) String() string {
	if o >= ops {
		return "bad"
	}
	return opNames[o]
}

var monoidNames = [monoids]string{
	NoMonoid: "no_monoid", SumOf: "sum", WrapSum: "wrap_sum", Product: "product", WrapProduct: "wrap_product",
	MinOf: "min", MaxOf: "max", AllOf: "all", AnyOf: "any", BitAnd: "bit_and", BitOr: "bit_or", BitXor: "bit_xor",
	CountOf: "count", ArgMinOf: "argmin", ArgMaxOf: "argmax", FusedSum: "fused_sum",
}

// String is the operator's name in printed graphs.
func (m Monoid) String() string {
	if m >= monoids {
		return "no_monoid"
	}
	return monoidNames[m]
}

var faultNames = [...]string{
	Overflow: "overflow", DivideByZero: "divide by zero", BadShift: "bad shift",
	BadConvert: "bad conversion", OutOfRange: "out of range", Empty: "empty",
}

// String names the kind of fault in words.
func (k FaultKind) String() string {
	if int(k) >= len(faultNames) {
		return "fault"
	}
	return faultNames[k]
}
