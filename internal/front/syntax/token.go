package syntax

// Token is a lexical token's kind.
type Token uint8

const (
	EOF Token = iota
	Illegal
	Ident
	Int
	Float
	Quoted // a field's name between backticks
	Moment // a date, a timestamp or a time of day
	Text   // text between double quotes
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
	Fused    // #[fused]
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

// spelling gives each token as it is written, or a description in words for
// the kinds that have many spellings.
var spelling = [tokens]string{
	EOF: "end of file", Illegal: "illegal text", Ident: "name", Int: "integer", Float: "float", Quoted: "quoted name", Moment: "date or time", Text: "text",
	Plus: "+", Minus: "-", Star: "*", Slash: "/", Percent: "%",
	WrapAdd: "+%", WrapSub: "-%", WrapMul: "*%", SatAdd: "+|",
	Amp: "&", Pipe: "|", Caret: "^", Shl: "<<", Shr: ">>",
	AndAnd: "&&", OrOr: "||", Bang: "!",
	Eq: "==", Ne: "!=", Lt: "<", Le: "<=", Gt: ">", Ge: ">=",
	SetTo: "=", Arrow: "->", FatArrow: "=>", DotDot: "..", Dot: ".",
	Comma: ",", Semi: ";", Colon: ":", PathSep: "::", At: "@", Tilde: "~", Question: "?", Fused: fusedText,
	LParen: "(", RParen: ")", LBracket: "[", RBracket: "]", LBrace: "{", RBrace: "}",
	KwAs: "as", KwBreak: "break", KwConst: "const", KwElse: "else", KwEnsures: "ensures",
	KwFalse: "false", KwFn: "fn", KwFor: "for", KwIf: "if", KwIn: "in", KwLet: "let",
	KwMatch: "match", KwMod: "mod", KwMut: "mut", KwPub: "pub", KwRecord: "record",
	KwTrue: "true", KwUse: "use", KwWhere: "where",
}

// String is the token as written, or a description in words.
func (t Token) String() string {
	if t < tokens {
		return spelling[t]
	}
	return "unknown token"
}

// IsKeyword reports whether the token is a reserved word.
func (t Token) IsKeyword() bool { return t >= KwAs && t < tokens }

// keyword looks a word up; the switch on length and spelling that the
// compiler makes of this is faster than a map.
func keyword(word string) Token {
	switch word {
	case "as":
		return KwAs
	case "break":
		return KwBreak
	case "const":
		return KwConst
	case "else":
		return KwElse
	case "ensures":
		return KwEnsures
	case "false":
		return KwFalse
	case "fn":
		return KwFn
	case "for":
		return KwFor
	case "if":
		return KwIf
	case "in":
		return KwIn
	case "let":
		return KwLet
	case "match":
		return KwMatch
	case "mod":
		return KwMod
	case "mut":
		return KwMut
	case "pub":
		return KwPub
	case "record":
		return KwRecord
	case "true":
		return KwTrue
	case "use":
		return KwUse
	case "where":
		return KwWhere
	}
	return Ident
}
