package syntax

// Token is a lexical token's kind.
type Token uint8

const (
	EOF Token = iota
	Illegal
	Ident
	Int
	Float
	// Operators and punctuation.
	Plus     // +
	Minus    // -
	Star     // *
	Slash    // /
	Percent  // %
	WrapAdd  // +%
	WrapSub  // -%
	WrapMul  // *%
	SatAdd   // +|
	Amp      // &
	Pipe     // |
	Caret    // ^
	Shl      // <<
	Shr      // >>
	AndAnd   // &&
	OrOr     // ||
	Bang     // !
	Eq       // ==
	Ne       // !=
	Lt       // <
	Le       // <=
	Gt       // >
	Ge       // >=
	SetTo    // =
	Arrow    // ->
	FatArrow // =>
	DotDot   // ..
	Dot      // .
	Comma    // ,
	Semi     // ;
	Colon    // :
	PathSep  // ::
	At       // @
	Tilde    // ~
	Question // ?
	LParen   // (
	RParen   // )
	LBracket // [
	RBracket // ]
	LBrace   // {
	RBrace   // }
	// Keywords.
	KwAs
	KwBreak
	KwConst
	KwElse
	KwEnsures
	KwFalse
	KwFn
	KwFor
	KwIf
	KwIn
	KwLet
	KwMatch
	KwMod
	KwMut
	KwPub
	KwRecord
	KwTrue
	KwUse
	KwWhere
	tokens
)
