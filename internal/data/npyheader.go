package data

import (
	"strconv"
	"strings"
)

// npyDict is the Python dictionary that an NPY header consists of.
type npyDict struct {
	descr   string // a structured dtype as its text
	fortran bool
	shape   []int64
}

// parseNPYHeader reads {'descr': '<f4', 'fortran_order': False, 'shape':
// (3, 4), } with its keys in any order.
func parseNPYHeader(path, text string) (*npyDict, error) {
	p := &npyParser{rest: strings.TrimSpace(text)}
	h, seen := &npyDict{}, map[string]bool{}
	p.expect("{")
	for p.bad == "" && !p.accept("}") {
		key := p.quoted()
		p.expect(":")
		switch key {
		case "descr":
			h.descr = p.descr()
		case "fortran_order":
			h.fortran = p.boolean()
		case "shape":
			h.shape = p.shape()
		default:
			p.fail("an unknown key " + strconv.Quote(key))
		}
		seen[key] = true
		if !p.accept(",") {
			p.expect("}")
			break
		}
	}
	if p.bad == "" && len(seen) != 3 {
		p.fail("descr, fortran_order or shape is missing")
	}
	if p.bad != "" {
		return nil, fail(path, "the NPY header is damaged: %s", p.bad)
	}
	return h, nil
}

// npyParser reads the few Python literals of a header; bad is the first error.
type npyParser struct{ rest, bad string }

func (p *npyParser) fail(msg string) {
	if p.bad == "" {
		p.bad = msg
	}
	p.rest = ""
}

func (p *npyParser) skip() { p.rest = strings.TrimLeft(p.rest, " \t\r\n") }

func (p *npyParser) accept(token string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.rest, token)
	p.rest = rest
	return ok
}

func (p *npyParser) expect(token string) {
	if !p.accept(token) {
		p.fail("expected " + strconv.Quote(token) + " before " + strconv.Quote(p.rest[:min(len(p.rest), 20)]))
	}
}

func (p *npyParser) quoted() string {
	p.skip()
	if p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		p.fail("expected a quoted string")
		return ""
	}
	end := strings.IndexByte(p.rest[1:], p.rest[0])
	if end < 0 {
		p.fail("a string has no end")
		return ""
	}
	s := p.rest[1 : 1+end]
	p.rest = p.rest[end+2:]
	return s
}

// descr is a string, or a list of fields, which is kept as text.
func (p *npyParser) descr() string {
	p.skip()
	if !strings.HasPrefix(p.rest, "[") {
		return p.quoted()
	}
	depth := 0
	for i := range len(p.rest) {
		switch p.rest[i] {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		}
		if depth == 0 {
			s := p.rest[:i+1]
			p.rest = p.rest[i+1:]
			return s
		}
	}
	p.fail("the structured type has no end")
	return ""
}

func (p *npyParser) boolean() bool {
	if p.accept("True") {
		return true
	}
	p.expect("False")
	return false
}

func (p *npyParser) shape() []int64 {
	var shape []int64
	p.expect("(")
	for p.bad == "" && !p.accept(")") {
		shape = append(shape, p.number())
		if !p.accept(",") {
			p.expect(")")
			break
		}
	}
	return shape
}

func (p *npyParser) number() int64 {
	p.skip()
	digits := 0
	for digits < len(p.rest) && p.rest[digits] >= '0' && p.rest[digits] <= '9' {
		digits++
	}
	n, err := strconv.ParseInt(p.rest[:digits], 10, 64)
	if err != nil {
		p.fail("expected a size before " + strconv.Quote(p.rest[:min(len(p.rest), 20)]))
		return 0
	}
	p.rest = p.rest[digits:]
	p.accept("L") // Python 2 wrote 3L
	return n
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
