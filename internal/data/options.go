package data

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// In: what is written behind the name of a file, as in sales.csv?sep=;&na=NA,-&decimal=,. Out: how its text is read.
// What is not said is found by looking at the file, or has one meaning.

// Options say how a file is read. The zero value says nothing.
type Options struct {
	Format    string // "csv", "jsonl", "npy", "arrow" or "parquet"; "" by the name, or by the first bytes where the name says nothing
	Separator byte   // between the fields of a row; 0 is found: comma, semicolon, tab or bar
	Quote     byte   // around fields; 0 stands for "
	NoQuote   bool   // quotes are characters like others
	Decimal   byte   // before the fraction of a number; 0 stands for a point
	Thousands byte   // between groups of three digits; 0 for none
	NA        []string
	Date      string // how dates are written, as dd.mm.yyyy; "" for 2001-03-14 alone
	NoHeader  bool   // the first row has values, and columns have numbers for names
	Header    bool   // the first row has names, whatever they look like
	Unique    bool   // the first row has names, of which those that stand there again get a number
	Skip      int    // lines before the row of names
	Encoding  string
	Text      []string // columns that are text, whatever stands there, by name or by number, as #1
	Number    []string // columns that are numbers, whatever zeros they begin with, by name or by number
	Types     []string // columns by name or by number, and their types: price:Decimal<10,2>, zip:i64

	said []string // the options as they were written, for helps
}

// with is what stands behind the name of a file that is to be read with one more option, or with another value of one: all that was said, and that.
func (o *Options) with(name, value string) string {
	parts := slices.DeleteFunc(slices.Clone(o.said), func(s string) bool { return strings.HasPrefix(s, name+"=") })
	return "?" + strings.Join(append(parts, name+"="+value), "&")
}

// unsaid reports that a file is read without options.
func (o *Options) unsaid() bool { return reflect.DeepEqual(*o, Options{}) }

// option is one word that may stand behind a name.
type option struct {
	name, takes string
	set         func(o *Options, value string) bool
	adds        bool // given again it adds to what was said
}

var options = []option{
	{"sep", "one character, or tab", func(o *Options, v string) bool { return oneByte(&o.Separator, v) }, false},
	{"quote", "one character, or none", func(o *Options, v string) bool {
		o.NoQuote = v == "none"
		return o.NoQuote || oneByte(&o.Quote, v)
	}, false},
	{"decimal", ". or ,", func(o *Options, v string) bool { return oneByte(&o.Decimal, v) && strings.Contains(".,", v) }, false},
	{"thousands", "one character that is no digit", func(o *Options, v string) bool {
		return oneByte(&o.Thousands, v) && !strings.ContainsAny(v, "0123456789+-eE")
	}, false},
	{"na", "words for a missing value, with commas between them", func(o *Options, v string) bool {
		o.NA = append(o.NA, strings.Split(v, ",")...)
		return true
	}, true},
	{"date", "dd, mm and yyyy in their order, with a sign between them", func(o *Options, v string) bool {
		_, ok := parseDateForm(v)
		o.Date = v
		return ok
	}, false},
	{"text", "names of columns, with commas between them", func(o *Options, v string) bool {
		o.Text = append(o.Text, strings.Split(v, ",")...)
		return v != ""
	}, true},
	{"number", "names of columns, with commas between them", func(o *Options, v string) bool {
		o.Number = append(o.Number, strings.Split(v, ",")...)
		return v != ""
	}, true},
	{"types", "columns and their types, with commas between them", func(o *Options, v string) bool {
		o.Types = append(o.Types, declarations(v)...)
		return v != ""
	}, true},
	{"header", "yes, no or unique", func(o *Options, v string) bool {
		o.NoHeader, o.Header, o.Unique = v == "no", v == "yes", v == "unique"
		return o.NoHeader || o.Header || o.Unique
	}, false},
	{"skip", "a number of lines", func(o *Options, v string) bool {
		n, err := strconv.Atoi(v)
		o.Skip = n
		return err == nil && n >= 0 && n <= 1<<20
	}, false},
	{"encoding", "utf-8, utf-16, utf-16le, utf-16be, latin1 or windows-1252", func(o *Options, v string) bool {
		o.Encoding = encodings[strings.ToLower(v)]
		return o.Encoding != ""
	}, false},
	{"format", "csv, jsonl, npy, arrow or parquet", func(o *Options, v string) bool {
		o.Format = v
		return slices.Contains(formatNames, v)
	}, false},
}

// oneByte reads a character of ASCII that may separate or begin something.
func oneByte(to *byte, v string) bool {
	if v == "tab" || v == `\t` {
		v = "\t"
	}
	if len(v) != 1 || v[0] >= 0x80 || v[0] < ' ' && v[0] != '\t' {
		return false
	}
	*to = v[0]
	return true
}

// ParseOptions reads what stands behind the ? of an argument. %26 stands for &, %23 for # and %25 for %.
func ParseOptions(text string) (o Options, err error) {
	seen := map[string]bool{}
	for _, part := range strings.Split(text, "&") {
		name, value, _ := strings.Cut(part, "=")
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		i := slices.IndexFunc(options, func(k option) bool { return k.name == name })
		switch {
		case i < 0:
			return o, badOption(name)
		case seen[name] && !options[i].adds:
			return o, &Error{Row: -1, Msg: fmt.Sprintf("the option `%s` is given twice", name), Help: "leave one out; an & inside of a value is written %26"}
		case !options[i].set(&o, value):
			return o, &Error{Row: -1, Msg: fmt.Sprintf("the option `%s` is %q", name, value), Help: fmt.Sprintf("expected %s: ?%s=%s", options[i].takes, name, exampleOf[name])}
		}
		seen[name] = true
		o.said = append(o.said, part)
	}
	return o, o.check()
}

var exampleOf = map[string]string{"sep": ";", "quote": "none", "decimal": ",", "thousands": ".", "na": "NA,-", "text": "zip,id", "number": "month,day", "types": "price:Decimal<10,2>,zip:i64", "date": "dd.mm.yyyy", "header": "no", "skip": "1", "encoding": "latin1", "format": "csv"}

func badOption(name string) error {
	var names []string
	for _, k := range options {
		names = append(names, k.name)
	}
	e := &Error{Row: -1, Msg: fmt.Sprintf("there is no option `%s`; the options are %s", name, listed(names)), Help: `a ? that belongs to the name of a file is written \?`}
	if near := diag.Nearest(name, names); near != "" {
		e.Help = fmt.Sprintf("did you mean `%s`? %s", near, e.Help)
	}
	return e
}

// check refuses characters that would mean two things.
func (o *Options) check() error {
	quote := o.Quote
	if quote == 0 && !o.NoQuote {
		quote = '"'
	}
	for _, c := range []struct {
		a, b         byte
		first, other string
	}{
		{o.Separator, quote, "sep", "quote"},
		{o.decimal(), o.Thousands, "decimal", "thousands"}, {quote, o.Thousands, "quote", "thousands"},
	} {
		if c.a != 0 && c.a == c.b {
			return bothAre(c.first, c.other, c.a)
		}
	}
	if o.Separator != ',' || o.NoQuote { // in quotes a comma separates nothing
		switch o.Separator {
		case 0:
		case o.decimal():
			return bothAre("sep", "decimal", o.Separator)
		case o.Thousands:
			return bothAre("sep", "thousands", o.Separator)
		}
	}
	for _, t := range o.Types {
		if _, _, err := declaration(t); err != nil {
			return err
		}
	}
	return nil
}

func bothAre(first, other string, c byte) error {
	return &Error{Row: -1, Msg: fmt.Sprintf("`%s` and `%s` are both %q", first, other, string(c)), Help: "give each a character of its own"}
}

func (o *Options) decimal() byte {
	if o.Decimal != 0 {
		return o.Decimal
	}
	return '.'
}

// foreign are the options that were given and are for CSV alone. Lines of JSON may say which columns are text.
func (o *Options) foreign(lines bool) (names []string) {
	texts := lines && len(o.texts()) == len(o.Text)+len(o.Types) // all types are Str
	for _, k := range []struct {
		name string
		set  bool
	}{
		{"sep", o.Separator != 0}, {"quote", o.Quote != 0 || o.NoQuote}, {"decimal", o.Decimal != 0}, {"thousands", o.Thousands != 0}, {"na", len(o.NA) > 0}, {"date", o.Date != ""},
		{"text", len(o.Text) > 0 && !lines}, {"number", len(o.Number) > 0}, {"types", len(o.Types) > 0 && !texts},
		{"header", o.NoHeader || o.Header || o.Unique}, {"skip", o.Skip != 0},
	} {
		if k.set {
			names = append(names, k.name)
		}
	}
	return names
}

// texts are the columns that are text, whatever stands there.
func (o *Options) texts() (names []string) {
	names = slices.Clone(o.Text)
	for _, t := range o.Types {
		if name, ok := strings.CutSuffix(t, ":Str"); ok {
			names = append(names, name)
		}
	}
	return names
}

// optionText is a word as it stands in an option.
func optionText(word string) string {
	return strings.NewReplacer("%", "%25", "&", "%26", "#", "%23").Replace(word)
}

var encodings = map[string]string{
	"utf-8": "utf-8", "utf8": "utf-8", "utf-16": "utf-16", "utf16": "utf-16", "utf-16le": "utf-16le", "utf-16be": "utf-16be",
	"latin1": "latin1", "latin-1": "latin1", "iso-8859-1": "latin1", "windows-1252": "windows-1252", "cp1252": "windows-1252",
}
