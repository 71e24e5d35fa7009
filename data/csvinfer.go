package data

import "github.com/godwit-run/godwit/num"

// csvSample is the number of rows that decide what columns look like.
const csvSample = 4096

const csvEmpty = "no values"

// csvLooks is what a column's fields have all been so far.
type csvLooks struct{ some, ints, floats, bools bool }

// infer looks at the first rows. What it finds decides only what a column can
// be asked for; every field is parsed as what the program wants.
func (s *csvFile) infer() error {
	looks := make([]csvLooks, len(s.cols))
	for i := range looks {
		looks[i] = csvLooks{ints: true, floats: true, bools: true}
	}
	s.texts = make([]csvText, len(s.cols))
	if len(s.blocks) > 0 {
		var buf []byte
		b, err := s.text(s.blocks[0], &buf)
		if err != nil {
			return err
		}
		p := newCSVParser(s, s.blocks[0], b, nil, nil)
		p.each = func(col, pos int, field []byte) { s.look(&looks[col], p, col, pos, field) }
		if err := p.rows(min(csvSample, s.chunks[0].Rows())); err != nil {
			return err
		}
	}
	for i, l := range looks {
		s.cols[i].Kind, s.cols[i].Stored = l.kind()
	}
	return nil
}

func (s *csvFile) look(l *csvLooks, p *csvParser, col, pos int, field []byte) {
	field = trimBlanks(field)
	if len(field) == 0 {
		return
	}
	l.some = true
	if l.ints {
		_, msg := parseInt(field)
		l.ints = msg == ""
	}
	if l.floats && !l.ints {
		_, msg := parseFloat64(field)
		l.floats = msg == ""
	}
	if l.bools {
		_, ok := parseBool(field)
		l.bools = ok
	}
	if s.texts[col].text == "" && !l.floats && !l.bools {
		line, c := p.position(pos)
		s.texts[col] = csvText{line, c, string(field)}
	}
}

func (l csvLooks) kind() (num.Kind, string) {
	switch {
	case !l.some:
		return num.F64, csvEmpty
	case l.ints:
		return num.I64, "integers"
	case l.floats:
		return num.F64, "numbers"
	case l.bools:
		return num.Bool, "true and false"
	}
	return num.Invalid, "text"
}
