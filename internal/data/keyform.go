package data

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the words that folders have for a key, and what options say of it. Out: the column's type. Zeros before a number count for nothing where they make
// all words equally long, as in month=01; elsewhere they may tell words apart, which are then text. Invariant: words that differ are different values,
// unless an option says that they are numbers.

// keyForm is what an option says of a column of folders.
type keyForm uint8

const (
	keyAsFound  keyForm = iota
	keyAsText           // ?text=zip, ?types=zip:Str
	keyAsNumber         // ?number=zip, ?types=zip:i64
)

// keyForms takes what options say of the folders of a path out of those for the file.
func keyForms(opt Options, path string) (map[string]keyForm, Options, error) {
	forms, keys := map[string]keyForm{}, keysOf(path)
	take := func(list []string, form keyForm) []string {
		return slices.DeleteFunc(slices.Clone(list), func(name string) bool {
			is := slices.ContainsFunc(keys, func(k key) bool { return k.name == name })
			if is {
				forms[name] = form
			}
			return is
		})
	}
	opt.Text, opt.Number = take(opt.Text, keyAsText), take(opt.Number, keyAsNumber)
	var types []string
	for _, text := range opt.Types {
		at := max(0, strings.LastIndexByte(text, ':'))
		form := map[string]keyForm{":Str": keyAsText, ":i64": keyAsNumber}[text[at:]]
		switch is := len(take([]string{text[:at]}, form)) == 0; {
		case !is:
			types = append(types, text)
		case form == keyAsFound:
			e := fail(path, "the option `types` has %q, which is a column of folders: expected Str or i64", text)
			e.Help = "leave it out; a program declares such a column as what its words are, also as a date, a time or a decimal"
			return nil, opt, e
		}
	}
	opt.Types = types
	return forms, opt, nil
}

// addKey adds a column, of what all its words are.
func (s *list) addKey(all [][]key, j int, name string, form keyForm) error {
	var c Column
	words, some, padded := make([]keyWord, len(all)), false, false
	for i, keys := range all {
		words[i] = keyWord{text: keys[j].value, none: keys[j].none}
		some, c.Nullable = some || !words[i].none, c.Nullable || words[i].none
	}
	switch {
	case !some:
		c.Unknown, c.Stored, c.Means = true, "folders of missing values", meaning.Meaning{Sort: meaning.Text}
	case form == keyAsText:
		c.Stored, c.Means = "text in the names of folders", meaning.Meaning{Sort: meaning.Text}
	case eachWord(words, (*keyWord).integer):
		if padded = form != keyAsNumber && unevenly(words); padded {
			c.Stored, c.Means = "text in the names of folders", meaning.Meaning{Sort: meaning.Text}
			break
		}
		c.Kind, c.Stored = num.I64, "integers in the names of folders"
	case form == keyAsNumber:
		i := slices.IndexFunc(words, func(w keyWord) bool { return !w.none && !w.integer() })
		e := fail(s.members[i].src.Path(), "an option says that `%s` is numbers, and its folder has %q", name, words[i].text)
		e.Help = "take the name of the column out of the option"
		return e
	case eachWord(words, (*keyWord).natural):
		c.Kind, c.Stored = num.U64, "integers in the names of folders"
	case eachWord(words, (*keyWord).truth):
		c.Kind, c.Stored = num.Bool, "true and false in the names of folders"
	case eachWord(words, parsed(day)):
		c.Kind, c.Stored, c.Means = kindOfMeaning(day), "dates in the names of folders", day
	case eachWord(words, parsed(moment)):
		c.Kind, c.Stored, c.Means = kindOfMeaning(moment), "timestamps in the names of folders", moment
	default:
		c.Stored, c.Means = "text in the names of folders", meaning.Meaning{Sort: meaning.Text}
	}
	for i, m := range s.members {
		m.keys = append(m.keys, words[i])
	}
	c.Name = name
	s.cols, s.padded, s.number = append(s.cols, c), append(s.padded, padded), append(s.number, form == keyAsNumber)
	return nil
}

// unevenly reports integers that begin with zeros, or a plus, of which not all are equally long, or two are the same number.
func unevenly(words []keyWord) bool {
	zeros, short, long := false, math.MaxInt, 0
	text := map[int64]string{}
	for i := range words {
		w := &words[i]
		if w.none {
			continue
		}
		if other, seen := text[w.n]; seen && other != w.text {
			return true
		}
		text[w.n] = w.text
		zeros = zeros || w.zeros()
		short, long = min(short, len(w.text)), max(long, len(w.text))
	}
	return zeros && short < long
}

// zeros reports a number that would be written otherwise.
func (w *keyWord) zeros() bool { return strconv.FormatInt(w.n, 10) != w.text }

// doubtKey says what the type of a column of folders does not keep, or what it might be.
func (s *list) doubtKey(column int) *Error {
	c, padded := &s.cols[column], s.padded[column-s.keyed]
	if s.number[column-s.keyed] || !padded && (c.Kind != num.I64 || c.Means.Sort != meaning.None) {
		return nil
	}
	for _, m := range s.members {
		w := m.keys[column-s.keyed]
		if w.none || !w.zeros() {
			continue
		}
		e := columnError(filepath.Dir(m.src.Path()), c, fmt.Sprintf("it is i64: found %s in the name of the folder, which is %d then", w.text, w.n))
		e.Help = "if the column is text, say so behind the name of the files: " + sayText(c.Name)
		if padded {
			e.Msg = fmt.Sprintf("it is text (Str): found %s in the name of the folder, and no number keeps what it begins with", w.text)
			e.Help = "if the column is numbers, say so behind the name of the files: ?number=" + optionText(c.Name)
		}
		return e
	}
	return nil
}

var day, moment = meaning.Meaning{Sort: meaning.Date}, meaning.Meaning{Sort: meaning.Timestamp, Unit: meaning.Micro}

// eachWord reports that all words are something.
func eachWord(words []keyWord, is func(*keyWord) bool) bool {
	for i := range words {
		if !words[i].none && !is(&words[i]) {
			return false
		}
	}
	return true
}

func (w *keyWord) integer() bool {
	n, err := strconv.ParseInt(w.text, 10, 64)
	w.n = n
	return err == nil
}

// natural takes what is beyond the greatest i64, too.
func (w *keyWord) natural() bool {
	n, err := strconv.ParseUint(w.text, 10, 64)
	w.n = int64(n)
	return err == nil
}

func (w *keyWord) truth() bool {
	w.n = 0
	if w.text == "true" {
		w.n = 1
	}
	return w.text == "true" || w.text == "false"
}

// parsed has a word be a value of a meaning.
func parsed(m meaning.Meaning) func(*keyWord) bool {
	return func(w *keyWord) bool {
		v, why := m.Parse([]byte(w.text))
		w.n = v
		return why == ""
	}
}
