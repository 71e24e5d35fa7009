// Package syntax turns source text into a tree and a tree back into
// canonical source text.
package syntax

import (
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
)

// File is one parsed source file.
type File struct {
	Source   *diag.Source
	Items    []Item
	Comments []Comment // in order of position; the formatter puts them back
}

// Comment is a `//` line comment (with its slashes, without the line end).
type Comment struct {
	Span diag.Span
	Text string
}

// Name is an identifier where it stands.
type Name struct {
	Span diag.Span
	Text string
}

// Item is a declaration: *Func, *Record, *Const, *Mod or *Use.
type Item interface{ item() }

// Func is `pub fn name<generics>(params) -> result @ place where … ensures … { body }`.
type Func struct {
	Span     diag.Span // whole item
	Doc      []Comment // `///` lines directly above
	Fused    bool      // `#[fused]` stands above
	Pub      bool
	Name     Name
	Generics []Generic
	Params   []Param
	Result   Type   // nil: no result (an error that the checker reports, unless it is asked)
	Place    *Place // of the result; nil if not given
	Where    []Clause
	Ensures  []Ensure
	Body     *Block
	Asked    bool // it is made around an expression, whose type is that of its result
}

// Generic is `K: Size`, `T: Num`, `P: Place`.
type Generic struct {
	Span diag.Span
	Name Name
	Kind Name // Size, Num, Int, Float, Ord, Any, Place
}

// Param is `name: type @ place`.
type Param struct {
	Span  diag.Span
	Name  Name
	Type  Type
	Place *Place
}

// Place is `Disk`, `RAM`, `Far`, `GPU(k)`, `Node(k)`, `Cluster`,
// `Cluster(blocks, k)`, or a generic place.
type Place struct {
	Span diag.Span
	Name Name
	Args []Expr
}

// Clause is one condition of a where clause.
type Clause interface{ clause() }

// RangeClause is `N: Range<lo, hi>`, both ends included.
type RangeClause struct {
	Span   diag.Span
	Name   Name
	Lo, Hi Expr // size expressions over literals and constants
}

// CompareClause is `a <= b` over size expressions (op is one of < <= > >= ==).
type CompareClause struct {
	Span diag.Span
	Op   Token
	X, Y Expr
}

// ExpectClause is `N ~ 1_000_000`.
type ExpectClause struct {
	Span  diag.Span
	Name  Name
	Value Expr
}

// Ensure is `time <= expr` or `mem <= expr`; Unit is the literal's suffix
// such as ms, s, MB, or "".
type Ensure struct {
	Span  diag.Span
	What  Name
	Bound Expr
	Unit  string
}

// Record is `record Name { field: type, … }`.
type Record struct {
	Span   diag.Span
	Doc    []Comment
	Pub    bool
	Name   Name
	Fields []FieldDecl
}

type FieldDecl struct {
	Span diag.Span
	Name Name
	Type Type
}

// Const is `const NAME: type = expr;`.
type Const struct {
	Span  diag.Span
	Doc   []Comment
	Pub   bool
	Name  Name
	Type  Type // nil: taken from the value
	Value Expr
}

// Mod is `mod name { items }`.
type Mod struct {
	Span  diag.Span
	Pub   bool
	Name  Name
	Items []Item
}

// Use is `use a::b::c;` or `use a::b::{c, d};` (one Use per leaf name) with
// an optional `as` name.
type Use struct {
	Span diag.Span
	Path []Name
	As   *Name
}

func (*Func) item()   {}
func (*Record) item() {}
func (*Const) item()  {}
func (*Mod) item()    {}
func (*Use) item()    {}

func (*RangeClause) clause()   {}
func (*CompareClause) clause() {}
func (*ExpectClause) clause()  {}

// Type is a type as written: *RefType, *NamedType, *TupleType, *ArrayType.
type Type interface {
	typ()
	Where() diag.Span
}

// RefType is `&T`: borrowed, not consumed.
type RefType struct {
	Span diag.Span
	Elem Type
}

// NamedType is a scalar, record or generic type name, possibly a path, with
// arguments: `idx<N>`, `Option<f32>`, `geo::Point`.
type NamedType struct {
	Span diag.Span
	Path []Name
	// Args are types or size expressions; a bare name could be either, and
	// is then a *NameExpr.
	Args []TypeArg
}

// TypeArg is one argument between angle brackets; exactly one field is set,
// and a bare name is always given as Size.
type TypeArg struct {
	Type Type
	Size Expr
}

// TupleType is `(A, B)`; the empty tuple is `()`.
type TupleType struct {
	Span  diag.Span
	Elems []Type
}

// ArrayType is `[T]` (Dims nil), `[T; N]`, `[T; N, M]` (outermost first) or
// `[T; ?M <= N]`.
type ArrayType struct {
	Span diag.Span
	Elem Type
	Dims []Dim
}

// Dim is a size expression, or with Dyn set `?M <= Size`.
type Dim struct {
	Span diag.Span
	Dyn  *Name
	Size Expr
}

func (*RefType) typ()   {}
func (*NamedType) typ() {}
func (*TupleType) typ() {}
func (*ArrayType) typ() {}

func (t *RefType) Where() diag.Span   { return t.Span }
func (t *NamedType) Where() diag.Span { return t.Span }
func (t *TupleType) Where() diag.Span { return t.Span }
func (t *ArrayType) Where() diag.Span { return t.Span }

// Block is `{ statements; value }`. A block is also an expression.
type Block struct {
	Span  diag.Span
	Stmts []Stmt
	Value Expr // nil: no value
}

// Stmt is *Let, *Assign, *For, *Break, *ExprStmt.
type Stmt interface {
	stmt()
	Where() diag.Span
}

// Let is `let [mut] pattern [: type] = value;`.
type Let struct {
	Span    diag.Span
	Mut     bool
	Pattern Pattern
	Type    Type
	Value   Expr
}

// Assign is `name op= value;` where Op is Assign, or the binary operator of a
// compound assignment (Plus for +=). The target is a plain name: arrays are
// values and have no assignable elements (the parser accepts any expression
// on the left and the checker explains).
type Assign struct {
	Span   diag.Span
	Target Expr
	Op     Token
	Value  Expr
}

// For is `for pattern in range-or-array { … }`.
type For struct {
	Span    diag.Span
	Pattern Pattern
	Over    Expr // a *RangeExpr or an array
	Body    *Block
}

type Break struct{ Span diag.Span }

// ExprStmt is an expression for its effect on variables: an if or match or
// block with assignments inside.
type ExprStmt struct {
	Span diag.Span
	X    Expr
}

func (*Let) stmt()      {}
func (*Const) stmt()    {}
func (*Assign) stmt()   {}
func (*For) stmt()      {}
func (*Break) stmt()    {}
func (*ExprStmt) stmt() {}

func (s *Let) Where() diag.Span      { return s.Span }
func (s *Const) Where() diag.Span    { return s.Span }
func (s *Assign) Where() diag.Span   { return s.Span }
func (s *For) Where() diag.Span      { return s.Span }
func (s *Break) Where() diag.Span    { return s.Span }
func (s *ExprStmt) Where() diag.Span { return s.Span }

// Pattern is *NamePattern (`x`, `mut x`, `_` as Name "_") or *TuplePattern.
type Pattern interface {
	pattern()
	Where() diag.Span
}

// NamePattern binds a name. Mut is set only inside a tuple pattern, as in
// `let (mut a, b) = …`; for `let mut a` see Let.Mut.
type NamePattern struct {
	Span diag.Span
	Mut  bool
	Name Name
}

type TuplePattern struct {
	Span  diag.Span
	Elems []Pattern
}

func (*NamePattern) pattern()  {}
func (*TuplePattern) pattern() {}

func (p *NamePattern) Where() diag.Span  { return p.Span }
func (p *TuplePattern) Where() diag.Span { return p.Span }

// Expr is an expression.
type Expr interface {
	expr()
	Where() diag.Span
}

type (
	// IntLit is an integer literal; Suffix is a scalar type name or "".
	IntLit struct {
		Span   diag.Span
		Text   string // as written
		Value  uint64
		Suffix string
	}
	// FloatLit is a float literal.
	FloatLit struct {
		Span   diag.Span
		Text   string
		Value  float64
		Suffix string
	}
	BoolLit struct {
		Span  diag.Span
		Value bool
	}
	// MomentLit is a date, time, timestamp or duration; which unit it is counted
	// in depends on its context.
	MomentLit struct {
		Span diag.Span
		Text string // as written
		Sort meaning.Sort
	}
	// TextLit is text between double quotes.
	TextLit struct {
		Span  diag.Span
		Text  string // as written
		Value string
	}
	// NameExpr is a possibly qualified name: `x`, `geo::PI`, `None`.
	// Args are given by a turbofish: `f::<8>`.
	NameExpr struct {
		Span diag.Span
		Path []Name
		Args []TypeArg
	}
	// Unary is -x or !x.
	Unary struct {
		Span diag.Span
		Op   Token
		X    Expr
	}
	// Binary is x op y.
	Binary struct {
		Span   diag.Span
		OpSpan diag.Span
		Op     Token
		X, Y   Expr
	}
	// Cast is `x as type`.
	Cast struct {
		Span diag.Span
		X    Expr
		Type Type
	}
	// Call is f(args) or f::<8>(args); also Some(x).
	Call struct {
		Span diag.Span
		Func *NameExpr
		Args []Expr
	}
	// MethodCall is x.name::<targs>(args).
	MethodCall struct {
		Span     diag.Span
		Receiver Expr
		Name     Name
		TypeArgs []TypeArg
		Args     []Expr
	}
	// Field is x.name, or x.0 with Name "0".
	Field struct {
		Span diag.Span
		X    Expr
		Name Name
	}
	// Index is x[i].
	Index struct {
		Span diag.Span
		X    Expr
		I    Expr
	}
	// Closure is |pattern, …| expr.
	Closure struct {
		Span   diag.Span
		Params []ClosureParam
		Body   Expr
	}
	// RangeExpr is a..b.
	RangeExpr struct {
		Span   diag.Span
		Lo, Hi Expr
	}
	// TupleExpr is (a, b).
	TupleExpr struct {
		Span  diag.Span
		Elems []Expr
	}
	// ParenExpr is (x); kept so that formatting does not lose it.
	ParenExpr struct {
		Span diag.Span
		X    Expr
	}
	// ArrayExpr is [a, b, c].
	ArrayExpr struct {
		Span  diag.Span
		Elems []Expr
	}
	// RepeatExpr is [x; N] or [x; N, M].
	RepeatExpr struct {
		Span  diag.Span
		Value Expr
		Dims  []Expr
	}
	// RecordExpr is Name { field: value, … }; a field without a value is
	// short for `field: field`.
	RecordExpr struct {
		Span   diag.Span
		Path   []Name
		Fields []FieldValue
	}
	// If is an expression or, with no else and no value, a statement.
	// Else is nil, a *Block or an *If.
	If struct {
		Span diag.Span
		Cond Expr
		Then *Block
		Else Expr
	}
	// Match is `match x { pattern => expr, … }`.
	Match struct {
		Span diag.Span
		X    Expr
		Arms []Arm
	}
	// BorrowExpr is &x, which means x.
	BorrowExpr struct {
		Span diag.Span
		X    Expr
	}
	// BadExpr stands where the parser recovered.
	BadExpr struct{ Span diag.Span }
)

type ClosureParam struct {
	Pattern Pattern
	Type    Type // nil: inferred
}

type FieldValue struct {
	Span  diag.Span
	Name  Name
	Value Expr // nil: the variable of the same name
}

// Arm is one arm of a match. Exactly one of Wild, Some, None, Lit holds;
// Bind is the name bound by `Some(name)` or by a bare name (then Wild).
type Arm struct {
	Span diag.Span
	Wild bool
	Some bool
	None bool
	Bind Pattern // nil: nothing bound
	Lit  []Expr  // literals of `1 | 2 =>`, possibly negated
	Body Expr
}

func (*IntLit) expr()     {}
func (*FloatLit) expr()   {}
func (*BoolLit) expr()    {}
func (*MomentLit) expr()  {}
func (*TextLit) expr()    {}
func (*NameExpr) expr()   {}
func (*Unary) expr()      {}
func (*Binary) expr()     {}
func (*Cast) expr()       {}
func (*Call) expr()       {}
func (*MethodCall) expr() {}
func (*Field) expr()      {}
func (*Index) expr()      {}
func (*Closure) expr()    {}
func (*RangeExpr) expr()  {}
func (*TupleExpr) expr()  {}
func (*ParenExpr) expr()  {}
func (*ArrayExpr) expr()  {}
func (*RepeatExpr) expr() {}
func (*RecordExpr) expr() {}
func (*If) expr()         {}
func (*Match) expr()      {}
func (*BorrowExpr) expr() {}
func (*BadExpr) expr()    {}
func (*Block) expr()      {}

func (x *IntLit) Where() diag.Span     { return x.Span }
func (x *FloatLit) Where() diag.Span   { return x.Span }
func (x *BoolLit) Where() diag.Span    { return x.Span }
func (x *MomentLit) Where() diag.Span  { return x.Span }
func (x *TextLit) Where() diag.Span    { return x.Span }
func (x *NameExpr) Where() diag.Span   { return x.Span }
func (x *Unary) Where() diag.Span      { return x.Span }
func (x *Binary) Where() diag.Span     { return x.Span }
func (x *Cast) Where() diag.Span       { return x.Span }
func (x *Call) Where() diag.Span       { return x.Span }
func (x *MethodCall) Where() diag.Span { return x.Span }
func (x *Field) Where() diag.Span      { return x.Span }
func (x *Index) Where() diag.Span      { return x.Span }
func (x *Closure) Where() diag.Span    { return x.Span }
func (x *RangeExpr) Where() diag.Span  { return x.Span }
func (x *TupleExpr) Where() diag.Span  { return x.Span }
func (x *ParenExpr) Where() diag.Span  { return x.Span }
func (x *ArrayExpr) Where() diag.Span  { return x.Span }
func (x *RepeatExpr) Where() diag.Span { return x.Span }
func (x *RecordExpr) Where() diag.Span { return x.Span }
func (x *If) Where() diag.Span         { return x.Span }
func (x *Match) Where() diag.Span      { return x.Span }
func (x *BorrowExpr) Where() diag.Span { return x.Span }
func (x *BadExpr) Where() diag.Span    { return x.Span }
func (x *Block) Where() diag.Span      { return x.Span }
