package syntax

import (
	"math"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
)

// isScalarName reports a type that may stand as a literal's suffix and that
// takes no arguments.
func isScalarName(s string) bool {
	switch s {
	case "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "bool":
		return true
	}
	return false
}

// splitNumber cuts a number into its digits and its suffix.
func splitNumber(text string) (digits, suffix string) {
	allowed, i := "0123456789_.", 0
	if len(text) > 1 && text[0] == '0' {
		switch text[1] | 0x20 {
		case 'x':
			allowed, i = "0123456789abcdefABCDEF_", 2
		case 'b', 'o':
			allowed, i = "0123456789_", 2
		}
	}
	exponent := i == 0
	for i < len(text) {
		c := text[i]
		if exponent && c|0x20 == 'e' && i+1 < len(text) && strings.IndexByte("+-0123456789", text[i+1]) >= 0 {
			exponent = false
			i += 2
			continue
		}
		if strings.IndexByte(allowed, c) < 0 {
			break
		}
		i++
	}
	return text[:i], text[i:]
}

// number consumes an Int or Float token and makes the literal of it.
func (p *parser) number() Expr {
	t := p.tok
	p.next()
	text := p.text[t.start:t.end]
	digits, suffix := splitNumber(text)
	span := diag.Span{Start: t.start, End: t.end}
	if suffix != "" && !p.unitsAllowed && meaning.IsDurationSuffix(suffix) {
		return p.checkedMoment(&MomentLit{Span: span, Text: text, Sort: meaning.Duration})
	}
	if suffix != "" && (!isScalarName(suffix) || suffix == "bool") && !p.unitsAllowed {
		p.report("S03", span, "`"+suffix+"` is not a number type", "expected one of i8…i64, u8…u64, f32, f64 after the digits", p.suffixMeant(t.start, digits, suffix))
		suffix = ""
	}
	if t.kind == Float || suffix == "f32" || suffix == "f64" {
		return p.float(span, text, digits, suffix)
	}
	return &IntLit{Span: span, Text: text, Value: p.integer(span, digits), Suffix: suffix}
}

func (p *parser) float(span diag.Span, text, digits, suffix string) Expr {
	lit := &FloatLit{Span: span, Text: text, Suffix: suffix}
	if strings.HasPrefix(suffix, "i") || strings.HasPrefix(suffix, "u") && isScalarName(suffix) {
		p.report("S03", span, "a fraction cannot have the type `"+suffix+"`", "expected f32 or f64 after a fraction", digits+"f32")
		return lit
	}
	bits := 64
	if suffix == "f32" {
		bits = 32
	}
	plain := strings.ReplaceAll(digits, "_", "")
	if strings.ContainsAny(plain, "xXbBoO") {
		p.report("S03", span, "a float is written in decimal digits", "", "write it with a point: 3.0f32")
		return lit
	}
	v, err := strconv.ParseFloat(plain, bits)
	if err != nil || math.IsInf(v, 0) {
		p.report("S02", span, "this number is too large for a float of "+strconv.Itoa(bits)+" bits", "", "")
		return lit
	}
	lit.Value = v // with f32 already rounded to it, once, from the decimal text
	return lit
}

func (p *parser) integer(span diag.Span, digits string) uint64 {
	if len(digits) == 1 {
		return uint64(digits[0] - '0')
	}
	plain, base := strings.ReplaceAll(digits, "_", ""), 10
	if len(plain) > 1 && plain[0] == '0' {
		switch plain[1] | 0x20 {
		case 'x':
			plain, base = plain[2:], 16
		case 'b':
			plain, base = plain[2:], 2
		case 'o':
			plain, base = plain[2:], 8
		}
	}
	v, err := strconv.ParseUint(plain, base, 64)
	switch {
	case err == nil:
	case strings.Contains(err.Error(), "out of range"):
		p.report("S02", span, "this number is too large", "the largest integer is 18_446_744_073_709_551_615 (u64)", "write `18_446_744_073_709_551_615`, the largest, or a float: "+approximate(plain, base))
	default:
		p.report("S03", span, "`"+digits+"` is not a number", "expected digits of base "+strconv.Itoa(base), "0")
	}
	return v
}

// approximate gives a too large integer as a float literal.
func approximate(digits string, base int) string {
	f := 0.0
	for _, c := range strings.ToLower(digits) {
		d := strings.IndexRune("0123456789abcdef", c)
		f = f*float64(base) + float64(d)
	}
	if math.IsInf(f, 0) {
		return "1e308"
	}
	return strconv.FormatFloat(f, 'e', 6, 64)
}
