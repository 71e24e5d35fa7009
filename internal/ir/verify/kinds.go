package verify

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// kindsOfAll gives every value its kind and checks every use: the value is
// visible there (defined before, in this block or one around it) and of the
// kind that is wanted. Encode has already checked numbers and numbering.
func (c *checker) kindsOfAll() {
	c.kinds = make([]num.Kind, c.k.Values())
	c.hidden = make([]bool, len(c.kinds))
	body := &c.k.Body
	for i, v := range body.Params {
		c.kinds[v] = num.I64
		if i >= 3 {
			c.kinds[v] = c.k.State[i-3].Kind
		}
	}
	c.each(body, c.instrKinds)
	for i, s := range c.k.State {
		c.want(body.Results[i], s.Kind)
	}
}

// hide makes a block's values invisible to what follows; a kind of Invalid
// marks what is not defined yet.
func (c *checker) hide(b *kernel.Block) {
	for _, v := range b.Params {
		c.hidden[v] = true
	}
	for i := range b.Instrs {
		for _, v := range b.Instrs[i].Out {
			c.hidden[v] = true
		}
	}
}

func (c *checker) want(v kernel.Value, k num.Kind) {
	if got := c.see(v); got != k {
		c.refuse("v%d is a %s where %s belongs", v, got, k)
	}
}

// see is the kind of a visible value.
func (c *checker) see(v kernel.Value) num.Kind {
	if c.kinds[v] == num.Invalid || c.hidden[v] {
		c.refuse("v%d is not visible here", v)
	}
	return c.kinds[v]
}

func (c *checker) instrKinds(in *kernel.Instr) {
	switch in.Code {
	case kernel.Arith:
		c.arithKinds(in)
	case kernel.Convert:
		c.want(in.Args[0], in.From)
		if in.From == in.Kind || in.Kind == num.Bool {
			c.refuse("there is no conversion from %s to %s", in.From, in.Kind)
		}
	case kernel.Bitcast:
		c.want(in.Args[0], in.From)
		if in.From == in.Kind || in.From.Bits() != in.Kind.Bits() {
			c.refuse("%s and %s do not have the same bits", in.From, in.Kind)
		}
	case kernel.Select:
		c.want(in.Args[0], num.Bool)
		c.want(in.Args[1], in.Kind)
		c.want(in.Args[2], in.Kind)
	case kernel.Load, kernel.Bound:
		c.want(in.Args[0], num.I64)
	case kernel.Store:
		c.want(in.Args[0], num.I64)
		c.want(in.Args[1], in.Kind)
	case kernel.Fault:
		c.want(in.Args[0], num.Bool)
	case kernel.If:
		c.ifKinds(in)
		return
	case kernel.For:
		c.forKinds(in)
		return
	case kernel.Fold:
		c.foldKinds(in)
		return
	}
	if in.At != kernel.None {
		c.want(in.At, num.I64)
	}
	if len(in.Out) == 1 {
		c.kinds[in.Out[0]] = resultKind(in)
	}
}

func resultKind(in *kernel.Instr) num.Kind {
	if in.Code == kernel.Arith && in.Op.IsCompare() {
		return num.Bool
	}
	return in.Kind
}

func (c *checker) arithKinds(in *kernel.Instr) {
	if !in.Op.Takes(in.Kind) {
		c.refuse("%s is not defined on %s", in.Op, in.Kind)
	}
	for _, v := range in.Args {
		c.want(v, in.Kind)
	}
}

// nestedKinds checks a block whose parameters have their kinds already;
// results is called while its values are visible.
func (c *checker) nestedKinds(b *kernel.Block, results func()) {
	c.each(b, c.instrKinds)
	results()
	c.hide(b)
}

func (c *checker) ifKinds(in *kernel.Instr) {
	c.want(in.Args[0], num.Bool)
	kinds := make([]num.Kind, len(in.Out))
	c.nestedKinds(&in.Blocks[0], func() {
		for i, v := range in.Blocks[0].Results {
			kinds[i] = c.see(v)
		}
	})
	c.nestedKinds(&in.Blocks[1], func() {
		for i, v := range in.Blocks[1].Results {
			c.want(v, kinds[i])
		}
	})
	for i, v := range in.Out {
		c.kinds[v] = kinds[i]
	}
}

func (c *checker) forKinds(in *kernel.Instr) {
	c.want(in.Args[0], num.I64)
	c.want(in.Args[1], num.I64)
	b := &in.Blocks[0]
	c.kinds[b.Params[0]] = num.I64
	for i, carry := range in.Carry {
		c.want(in.Args[2+i], carry.Kind)
		if carry.Bounded && !carry.Kind.IsInt() {
			c.refuse("only integers have a bound, not %s", carry.Kind)
		}
		c.kinds[b.Params[1+i]] = carry.Kind
	}
	c.nestedKinds(b, func() {
		for i, carry := range in.Carry {
			c.want(b.Results[i], carry.Kind)
		}
		if in.Stop {
			c.want(b.Results[len(in.Carry)], num.Bool)
		}
	})
	for i, v := range in.Out {
		c.kinds[v] = in.Carry[i].Kind
	}
}

func (c *checker) foldKinds(in *kernel.Instr) {
	c.want(in.Args[0], num.I64)
	c.want(in.Args[1], num.I64)
	b := &in.Blocks[0]
	c.kinds[b.Params[0]] = num.I64
	var kinds []num.Kind
	for _, a := range in.Accs {
		if !a.Op.Takes(a.Kind) {
			c.refuse("fold %s is not defined on %s", a.Op, a.Kind)
		}
		kinds = append(kinds, a.Outs()...)
	}
	if len(in.Accs) == 0 {
		c.refuse("a fold needs an accumulator")
	}
	c.nestedKinds(b, func() {
		for i, a := range in.Accs {
			c.want(b.Results[i], a.Kind)
		}
	})
	for i, v := range in.Out {
		c.kinds[v] = kinds[i]
	}
}
