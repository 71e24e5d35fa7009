package syntax

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/pattern"
)

// token is one token with the bytes it covers.
type token struct {
	kind       Token
	start, end int
}

// scanner turns a whole source into tokens and comments. The parser works on
// the finished slice, which makes looking ahead free.
type scanner struct {
	src      *diag.Source
	text     string
	pos      int
	toks     []token
	comments []Comment
	// skipped holds the places whose trouble is already reported; the parser
	// stays silent about what follows from them.
	skipped []diag.Span
	msgs    *diag.List
}

// scan tokenizes src. The last token is always EOF.
func scan(src *diag.Source, msgs *diag.List) *scanner {
	s := &scanner{src: src, text: src.Text, msgs: msgs}
	s.toks = make([]token, 0, len(s.text)/3+8)
	if isUTF16(s.text) {
		s.pos = len(s.text)
		s.report("S01", 0, len(s.text), "the file is UTF-16", "expected UTF-8", "convert it: iconv -f UTF-16 -t UTF-8")
	}
	if strings.HasPrefix(s.text, "\ufeff") { // editors on Windows write this mark
		s.pos = 3
	}
	for s.pos < len(s.text) {
		s.next()
	}
	s.toks = append(s.toks, token{EOF, len(s.text), len(s.text)})
	return s
}

func (s *scanner) emit(kind Token, start int) {
	s.toks = append(s.toks, token{kind, start, s.pos})
}

// next consumes one token, one comment or one piece of white space.
func (s *scanner) next() {
	start := s.pos
	c := s.text[start]
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		s.pos++
	case isLetter(c):
		s.word(start)
	case isDigit(c):
		s.number(start)
	case c == '/' && s.peek(1) == '/':
		s.comment(start)
	case c == '/' && s.peek(1) == '*':
		s.blockComment(start)
	case c == '"':
		s.textLiteral(start)
	case c == '\'':
		s.quoted(start, c)
	case c == '`':
		s.quotedName(start)
	case c == '#' && (s.peek(1) == '[' || s.peek(1) == '!'):
		s.attribute(start)
	default:
		s.symbol(start, c)
	}
}

// isUTF16 goes by the mark at the start, or by the zeros of letters.
func isUTF16(text string) bool {
	return strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") || len(text) >= 2 && (text[0] == 0) != (text[1] == 0)
}

// peek gives the byte n places ahead, or 0 past the end.
func (s *scanner) peek(n int) byte {
	if s.pos+n < len(s.text) {
		return s.text[s.pos+n]
	}
	return 0
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }

// wordEnd gives the end of the run of letters, digits and underscores at i,
// of any script.
func wordEnd(text string, i int) int {
	for i < len(text) {
		c := text[i]
		if isLetter(c) || isDigit(c) {
			i++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		i += n
	}
	return i
}

func (s *scanner) word(start int) {
	s.pos = wordEnd(s.text, start)
	s.emit(keyword(s.text[start:s.pos]), start)
}

// number scans an integer or a float with its suffix. Whether the digits and
// the suffix make sense is judged in literal.go, where the value is computed.
func (s *scanner) number(start int) {
	if n := len(s.toks); n > 0 && s.toks[n-1].kind == Dot {
		// A tuple field: in x.0.1 the digits must not become the float 0.1.
		for s.pos < len(s.text) && isDigit(s.text[s.pos]) {
			s.pos++
		}
		s.emit(Int, start)
		return
	}
	if n := momentEnd(s.text[start:]); n > 0 {
		s.pos += n
		s.emit(Moment, start)
		return
	}
	kind := Int
	if radix := s.peek(1) | 0x20; s.text[start] == '0' && (radix == 'x' || radix == 'b' || radix == 'o') {
		s.pos = wordEnd(s.text, start)
		s.emit(Int, start)
		return
	}
	s.digits()
	if s.peek(0) == '.' && isDigit(s.peek(1)) {
		kind = Float
		s.pos++
		s.digits()
	}
	if s.peek(0)|0x20 == 'e' && (isDigit(s.peek(1)) || (s.peek(1) == '+' || s.peek(1) == '-') && isDigit(s.peek(2))) {
		kind = Float
		s.pos += 2
		s.digits()
	}
	s.pos = wordEnd(s.text, s.pos) // the suffix
	s.emit(kind, start)
}

func (s *scanner) digits() {
	for s.pos < len(s.text) && (isDigit(s.text[s.pos]) || s.text[s.pos] == '_') {
		s.pos++
	}
}

func (s *scanner) toLineEnd() {
	if n := strings.IndexByte(s.text[s.pos:], '\n'); n >= 0 {
		s.pos += n
	} else {
		s.pos = len(s.text)
	}
}

func (s *scanner) comment(start int) {
	s.toLineEnd()
	text := strings.TrimRight(s.text[start:s.pos], " \t\r")
	s.comments = append(s.comments, Comment{diag.Span{Start: start, End: start + len(text)}, text})
}

func (s *scanner) blockComment(start int) {
	end := strings.Index(s.text[start+2:], "*/")
	if end < 0 {
		s.pos = len(s.text)
	} else {
		s.pos = start + 2 + end + 2
	}
	body := strings.TrimSpace(strings.TrimSuffix(s.text[start+2:s.pos], "*/"))
	help := "// " + strings.ReplaceAll(body, "\n", "\n// ")
	s.report("S05", start, s.pos, "comments start with `//` and end with the line", "`/* … */` is not a comment here", help)
}

// quoted scans a character literal up to its end or the end of the
// line. It stays in the stream as one Illegal token, because it stands where
// a value does.
func (s *scanner) quoted(start int, quote byte) {
	s.pos++
	if quote == '\'' { // 'a is a lifetime, 'a' a character
		if end := wordEnd(s.text, s.pos); end > s.pos && (end >= len(s.text) || s.text[end] != '\'') {
			s.pos = end
			s.report("S23", start, s.pos, "there are no lifetimes", "every `&` is valid for the whole call", "leave `"+s.text[start:s.pos]+"` out")
			return
		}
	}
	for s.pos < len(s.text) && s.text[s.pos] != '\n' {
		c := s.text[s.pos]
		s.pos++
		if c == '\\' && s.pos < len(s.text) && s.text[s.pos] != '\n' {
			s.pos++
		} else if c == quote {
			break
		}
	}
	s.report("S04", start, s.pos, "there are no characters", "expected a number, `true`, `false`, a name, or text in double quotes", codeMeant(s.text[start:s.pos], textType().MatchString(s.text)))
	s.emit(Illegal, start)
}

// textType is the type of text in a program.
var textType = pattern.Of(`\bStr\b`)

// fusedText is the only attribute.
const fusedText = "#[fused]"

// attribute takes `#[fused]`, and skips any other `#[…]` or `#![…]` on one line.
func (s *scanner) attribute(start int) {
	if strings.HasPrefix(s.text[start:], fusedText) {
		s.pos += len(fusedText)
		s.emit(Fused, start)
		return
	}
	s.pos++
	if s.text[s.pos] == '!' {
		s.pos++
	}
	line := s.text[s.pos:]
	if n := strings.IndexByte(line, '\n'); n >= 0 {
		line = line[:n]
	}
	if n := strings.LastIndexByte(line, ']'); n >= 0 {
		s.pos += n + 1
	}
	s.report("S01", start, s.pos, "there is no such attribute", "the only one is `#[fused]`", "leave `"+s.text[start:s.pos]+"` out")
}

// report adds a message about text[start:end] and remembers the place.
func (s *scanner) report(code string, start, end int, text, note, help string) {
	span := diag.Span{Start: start, End: end}
	s.skipped = append(s.skipped, span)
	if len(s.msgs.Messages) >= maxMessages {
		return
	}
	s.msgs.Add(&diag.Message{Code: code, Source: s.src, Span: span, Text: text, Note: note, Help: help})
}

// two lists the tokens of two bytes by their bytes, longest match first.
var two = map[[2]byte]Token{
	{'+', '%'}: WrapAdd, {'-', '%'}: WrapSub, {'*', '%'}: WrapMul, {'+', '|'}: SatAdd,
	{'<', '<'}: Shl, {'>', '>'}: Shr, {'&', '&'}: AndAnd, {'|', '|'}: OrOr,
	{'=', '='}: Eq, {'!', '='}: Ne, {'<', '='}: Le, {'>', '='}: Ge,
	{'-', '>'}: Arrow, {'=', '>'}: FatArrow, {'.', '.'}: DotDot, {':', ':'}: PathSep,
}

// symbolTable is what symbol looks bytes up in: the token of the byte alone,
// and those it makes with the byte after it.
var symbolTable = func() (t [128]struct {
	one  Token
	twos []struct {
		next byte
		kind Token
	}
}) {
	for k := Plus; k < KwAs; k++ {
		if s := spelling[k]; len(s) == 1 {
			t[s[0]].one = k
		}
	}
	for pair, kind := range two {
		e := &t[pair[0]]
		e.twos = append(e.twos, struct {
			next byte
			kind Token
		}{pair[1], kind})
	}
	return t
}()

func (s *scanner) symbol(start int, c byte) {
	if c < utf8.RuneSelf {
		e := &symbolTable[c]
		next := s.peek(1)
		for _, t := range e.twos {
			if t.next == next {
				s.pos += 2
				s.emit(t.kind, start)
				return
			}
		}
		if e.one != EOF {
			s.pos++
			s.emit(e.one, start)
			return
		}
	}
	r, n := utf8.DecodeRuneInString(s.text[start:])
	if unicode.IsLetter(r) {
		s.word(start)
		return
	}
	s.pos += n
	s.illegal(start, r, n)
}

// lookalike maps characters that text editors put in to what was meant.
var lookalike = map[rune]string{
	'−': "-", '–': "-", '—': "-", '×': "*", '·': "*", '÷': "/", '≤': "<=", '≥': ">=", '≠': "!=",
	'→': "->", '⇒': "=>", '…': "..", '\u00a0': "a space", '，': ",", '；': ";", '（': "(", '）': ")",
	'“': "\"", '”': "\"", '‘': "'", '’': "'",
}

func (s *scanner) illegal(start int, r rune, n int) {
	what := fmt.Sprintf("`%c`", r)
	if r == utf8.RuneError && n <= 1 {
		what = fmt.Sprintf("the byte %#02x, which is not UTF-8,", s.text[start])
	} else if !unicode.IsPrint(r) {
		what = fmt.Sprintf("U+%04X", r)
	}
	help := "leave it out"
	if meant, ok := lookalike[r]; ok {
		help = "write " + meant
	}
	s.report("S01", start, s.pos, what+" has no meaning here", "not part of the language", help)
}
