// Package session keeps what was said in a conversation in the language, and makes programs of it.
//
// In: declarations, arguments with their types, names for expressions, and expressions. Out: the sources of a program with a
// function around the expression. What does not parse is an error and changes nothing; whether it means anything is for
// the caller to check, before it keeps what was said. Nothing is read or run here.
package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/pattern"
)

// Asked is the name of the function around an expression.
const Asked = "_asked"

// State is what was said so far. It is changed by With… only, which give a new one.
type State struct {
	items []item
	args  []Argument
	lets  []let
}

// item is a declaration as it was written.
type item struct{ name, text string }

// Argument is a file or value that has a name.
type Argument struct {
	Name   string
	Record string // the declaration that its type needs; "" if none
	Type   string // as a parameter is declared, with Size in it
	Rows   int64  // how many it has; -1 for a scalar
}

// Size is the name of an argument's size.
func Size(name string) string { return "N_" + name }

// let is a name for an expression.
type let struct{ name, text string }

// Declare adds the items in a text; those of the same names go. It says the names.
func (s State) Declare(text string) (State, []string, error) {
	msgs := new(diag.List)
	file := syntax.Parse(diag.NewSource("input", text), msgs)
	if msgs.Failed() {
		msgs.Sort()
		return s, nil, &compile.SourceError{Messages: msgs.Messages}
	}
	s.items = slices.Clone(s.items)
	var names []string
	for _, it := range file.Items {
		name, doc, span := parts(it)
		if len(doc) > 0 {
			span.Start = doc[0].Span.Start
		}
		whole := text[span.Start:span.End]
		if _, isUse := it.(*syntax.Use); isUse {
			if name = whole; slices.Contains(names, name) {
				continue // another name of the same one
			}
		}
		if !slices.Contains(names, name) { // what stands twice in one text is for checking to refuse
			s.items = slices.DeleteFunc(s.items, func(i item) bool { return i.name == name })
		}
		s.items = append(s.items, item{name, whole})
		names = append(names, name)
	}
	return s, names, nil
}

// parts of an item: its name, none for a use, the comments above, and where it is.
func parts(it syntax.Item) (name string, doc []syntax.Comment, span diag.Span) {
	switch it := it.(type) {
	case *syntax.Func:
		return it.Name.Text, it.Doc, it.Span
	case *syntax.Record:
		return it.Name.Text, it.Doc, it.Span
	case *syntax.Const:
		return it.Name.Text, it.Doc, it.Span
	case *syntax.Mod:
		return it.Name.Text, nil, it.Span
	case *syntax.Use:
		return "", nil, it.Span
	}
	return "", nil, diag.Span{}
}

// Bind adds an argument; what had its name goes.
func (s State) Bind(a Argument) State {
	s = s.Drop(a.Name)
	s.args = append(slices.Clone(s.args), a)
	return s
}

// Let gives an expression a name; what had it goes, unless the expression itself needs it.
func (s State) Let(name, text string) (State, error) {
	if mentions(text, name) {
		return s, fmt.Errorf("`%s` cannot be made of itself; give the new value a name of its own", name)
	}
	s = s.Drop(name)
	s.lets = append(slices.Clone(s.lets), let{name, text})
	return s, nil
}

// Drop forgets a name. What is made of it cannot be asked for any more.
func (s State) Drop(name string) State {
	s.items = slices.DeleteFunc(slices.Clone(s.items), func(i item) bool { return i.name == name })
	s.args = slices.DeleteFunc(slices.Clone(s.args), func(a Argument) bool { return a.Name == name })
	s.lets = slices.DeleteFunc(slices.Clone(s.lets), func(l let) bool { return l.name == name })
	return s
}

// Has reports whether a name is taken.
func (s State) Has(name string) bool { return slices.Contains(s.Names(), name) }

// Names lists all names in the order in which they came: declarations, arguments, expressions.
func (s State) Names() []string {
	var list []string
	for _, i := range s.items {
		list = append(list, i.name)
	}
	for _, a := range s.args {
		list = append(list, a.Name)
	}
	for _, l := range s.lets {
		list = append(list, l.name)
	}
	return list
}

// Texts shows what was said, a declaration, an argument or an expression each.
func (s State) Texts() []string {
	var list []string
	for _, i := range s.items {
		list = append(list, i.text)
	}
	for _, a := range s.args {
		if s.brings(a) {
			list = append(list, a.Record)
		}
		list = append(list, a.Name+": "+a.Type)
	}
	for _, l := range s.lets {
		list = append(list, "let "+l.name+" = "+l.text+";")
	}
	return list
}

// Question is a program with a function around an expression, and the arguments that it takes.
type Question struct {
	Sources []*diag.Source
	Args    []string
}

// Ask makes the program of an expression. It takes those arguments and names only that the expression mentions, since all of them would be
// read and computed.
func (s State) Ask(expr string) Question {
	lets, used := s.needs(expr)
	var q Question
	var params, where []string
	for _, a := range s.args {
		if !used[a.Name] {
			continue
		}
		q.Args = append(q.Args, a.Name)
		params = append(params, a.Name+": "+a.Type)
		if a.Rows >= 0 {
			where = append(where, fmt.Sprintf("%s: Range<%d, %d>", Size(a.Name), a.Rows, a.Rows))
		}
	}
	head := "fn " + Asked + "(" + strings.Join(params, ", ") + ")"
	if len(where) > 0 {
		head += " where " + strings.Join(where, ", ")
	}
	head += " {\n"
	for _, l := range lets {
		head += "let " + l.name + " = " + l.text + ";\n"
	}
	asked := diag.NewSource("input", head+expr+"\n}\n")
	asked.First = strings.Count(head, "\n")
	q.Sources = []*diag.Source{asked}
	if text := s.Source(); text != "" {
		q.Sources = append(q.Sources, diag.NewSource("declared", text))
	}
	return q
}

// needs are the names that an expression mentions, itself or by others, in the order in which they were given.
func (s State) needs(expr string) (lets []let, used map[string]bool) {
	used = map[string]bool{}
	for _, w := range words(expr) {
		used[w] = true
	}
	for i := len(s.lets) - 1; i >= 0; i-- { // a name is made of earlier ones
		if l := s.lets[i]; used[l.name] {
			lets = append(lets, l)
			for _, w := range words(l.text) {
				used[w] = true
			}
		}
	}
	slices.Reverse(lets)
	return lets, used
}

// Source is the text of all declarations; a record that was declared counts instead of the one that an argument brings.
func (s State) Source() string {
	var b strings.Builder
	for _, i := range s.items {
		b.WriteString(i.text + "\n\n")
	}
	for _, a := range s.args {
		if s.brings(a) {
			b.WriteString(a.Record + "\n\n")
		}
	}
	return b.String()
}

var recordName = pattern.Of(`(?m)^record ([\p{L}_][\p{L}\p{Nd}_]*)`)

// RecordName is the name of a record that a text declares; "" if it declares none.
func RecordName(text string) string {
	if m := recordName().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// brings reports that an argument's record counts: none of its name was declared.
func (s State) brings(a Argument) bool {
	name := RecordName(a.Record)
	return name != "" && !slices.ContainsFunc(s.items, func(i item) bool { return i.name == name })
}

var word = pattern.Of(`[\p{L}_][\p{L}\p{Nd}_]*`)

// words are the names in a text, and whatever looks like one: what is too much is harmless. What stands behind a point is a field or an
// operation, unless there are two, as in 0..n.
func words(text string) (list []string) {
	for _, at := range word().FindAllStringIndex(text, -1) {
		if before := text[:at[0]]; !strings.HasSuffix(before, ".") || strings.HasSuffix(before, "..") {
			list = append(list, text[at[0]:at[1]])
		}
	}
	return list
}

func mentions(text, name string) bool { return slices.Contains(words(text), name) }
