package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/front/elaborate"
	"github.com/godwit-run/godwit/internal/front/session"
	"github.com/godwit-run/godwit/internal/view"
)

// In: a command of a conversation, which begins with a colon. Out: what it shows.

var errQuit = errors.New("quit")

// replCommand is one of them. It takes no rest where needs is "".
type replCommand struct {
	name, needs, about string
	do                 func(c *conversation, ctx context.Context, rest string) error
}

// replCommands is filled when the program starts, since :help shows it.
var replCommands []replCommand

func init() {
	replCommands = []replCommand{
		{"help", "", "this list", (*conversation).help},
		{"names", "", "what was declared, bound and named", (*conversation).list},
		{"head", "NAME [ROWS]", "the first rows of files", (*conversation).head},
		{"type", "EXPRESSION", "the type of its value, with the fields of its records; nothing runs", (*conversation).typed},
		{"explain", "EXPRESSION", "how it would be carried out, and how long that takes", (*conversation).explain},
		{"plot", "EXPRESSION", "a picture of an array of numbers, or of records with a number in them", (*conversation).plot},
		{"stats", "on|off", "whether each step is shown with its time", (*conversation).setStats},
		{"drop", "NAME", "forgets a name", (*conversation).drop},
		{"load", "FILE", "declares what is in a program, and names what :save wrote", (*conversation).load},
		{"save", "FILE", "writes what was declared as a program, and what was named under it", (*conversation).save},
		{"quit", "", "ends", func(*conversation, context.Context, string) error { return errQuit }},
	}
}

// command does what an input with a colon says. The beginning of a name will do.
func (c *conversation) command(ctx context.Context, text string) error {
	name, rest, _ := strings.Cut(strings.TrimPrefix(text, ":"), " ")
	rest = strings.TrimSpace(rest)
	var found []replCommand
	for _, k := range replCommands {
		if k.name == name {
			found = []replCommand{k}
			break
		}
		if name != "" && strings.HasPrefix(k.name, name) {
			found = append(found, k)
		}
	}
	switch {
	case len(found) != 1:
		return &godwit.InputError{Text: "there is no command `:" + name + "`", Help: ":help lists them"}
	case (found[0].needs == "") != (rest == ""):
		return &godwit.InputError{Text: fmt.Sprintf("`:%s` is followed by %s", found[0].name, cmp.Or(found[0].needs, "nothing")), Help: strings.TrimSpace(":" + found[0].name + " " + found[0].needs)}
	}
	return found[0].do(c, ctx, rest)
}

func (c *conversation) help(context.Context, string) error {
	rows := [][2]string{{"EXPRESSION", "its value, over the files that it mentions"}, {"NAME = FILES", "names files, or a data set: f = flights.csv"},
		{"let NAME = EXPRESSION", "names an expression"}, {"fn, record, const, mod, use", "declare, and replace what had the name"}}
	for _, k := range replCommands {
		rows = append(rows, [2]string{strings.TrimSpace(":" + k.name + " " + k.needs), k.about})
	}
	for _, r := range rows {
		fmt.Fprintf(c.out, "%-28s %s\n", r[0], r[1])
	}
	return nil
}

func (c *conversation) list(context.Context, string) error {
	for _, text := range c.session.Texts() {
		fmt.Fprintln(c.out, text)
	}
	return nil
}

func (c *conversation) head(ctx context.Context, rest string) error {
	name, number, _ := strings.Cut(rest, " ")
	n, err := int64(10), error(nil)
	if number != "" {
		if n, err = strconv.ParseInt(strings.TrimSpace(number), 10, 32); err != nil || n < 0 {
			return &godwit.InputError{Text: fmt.Sprintf("`%s` is no number of rows", number), Help: ":head " + name + " 20"}
		}
	}
	files, ok := c.bound[name]
	if !ok {
		return &godwit.InputError{Text: fmt.Sprintf("`%s` names no files", name), Help: ":names shows the names; " + name + " = FILE gives one"}
	}
	src, end, err := openTable(ctx, files, c.cluster)
	if err != nil {
		return err
	}
	defer end()
	rows, err := data.Head(ctx, src, n)
	if err != nil {
		return fileError(err)
	}
	t := &view.Rows{Columns: []string{}, First: rows, Rows: src.Rows()}
	for _, k := range src.Columns() {
		t.Columns = append(t.Columns, k.Name)
	}
	_, err = fmt.Fprint(c.out, t.Text(view.Room(c.out)))
	return err
}

func (c *conversation) typed(_ context.Context, expr string) error {
	f, _, err := c.session.Func(expr)
	if err != nil {
		return err
	}
	fmt.Fprintln(c.out, f.ResultType())
	for _, text := range c.session.Texts() {
		if name := session.RecordName(text); name != "" && slices.Contains(strings.FieldsFunc(f.ResultType(), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }), name) {
			fmt.Fprintln(c.out, text)
		}
	}
	return nil
}

func (c *conversation) explain(ctx context.Context, expr string) error {
	f, args, err := c.session.Func(expr)
	if err != nil {
		return err
	}
	p, err := f.Predict(ctx, args, append(c.options(), godwit.WithPrediction(""))...)
	if err != nil {
		return err
	}
	return view.Plan(c.out, p, view.StyleOf(c.out))
}

// plot draws a result. Of records it takes the first number, and the first text or date as a label.
func (c *conversation) plot(ctx context.Context, expr string) error {
	res, err := c.session.Eval(ctx, expr, c.options()...)
	if err != nil {
		return err
	}
	defer res.Close()
	d := json.NewDecoder(strings.NewReader(string(res.JSON())))
	d.UseNumber()
	var rows []json.RawMessage
	if err := d.Decode(&rows); err != nil {
		return &godwit.InputError{Text: "the value is of type " + res.Type() + ", and a plot needs an array", Help: "write the expression alone to see it"}
	}
	var labels []string
	var values []float64
	for _, row := range rows {
		label, v, err := point(row)
		if err != nil {
			return &godwit.InputError{Text: "the value is of type " + res.Type() + ", which has no number to draw", Help: "map it to numbers, or to records with one"}
		}
		if values = append(values, v); label != "" {
			labels = append(labels, label)
		}
	}
	if len(labels) < len(values) {
		labels = nil
	}
	_, err = fmt.Fprint(c.out, view.Plot(labels, values, view.Width(c.out)))
	return err
}

// point reads a number, or the first number and the first text of a record or tuple.
func point(row json.RawMessage) (label string, v float64, err error) {
	d := json.NewDecoder(strings.NewReader(string(row)))
	d.UseNumber()
	found, depth, key := false, 0, false
	for d.More() || depth > 0 {
		token, bad := d.Token()
		if bad != nil {
			return "", 0, bad
		}
		switch token := token.(type) {
		case json.Delim:
			if token == '{' || token == '[' {
				depth++
			} else {
				depth--
			}
			key = token == '{'
			continue
		case json.Number:
			if !found {
				if v, err = token.Float64(); err != nil {
					return "", 0, err
				}
				found = true
			}
		case string:
			if !key && label == "" {
				label = token
			}
		}
		key = row[0] == '{' && !key
	}
	if !found {
		return "", 0, errors.New("no number")
	}
	return label, v, nil
}

func (c *conversation) setStats(_ context.Context, rest string) error {
	if rest != "on" && rest != "off" {
		return &godwit.InputError{Text: "`:stats` is followed by on or off, not `" + rest + "`", Help: ":stats on"}
	}
	c.stats = rest == "on"
	return nil
}

func (c *conversation) drop(_ context.Context, name string) error {
	if !c.session.Drop(name) {
		return &godwit.InputError{Text: "there is no name `" + name + "`", Help: ":names shows the names"}
	}
	delete(c.bound, name)
	return nil
}

func (c *conversation) load(ctx context.Context, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return &godwit.InputError{Text: path + ": the program cannot be read: " + cause(err).Error(), Help: "check the path; a program is a .gw file", Err: err}
	}
	list, err := c.session.Declare(string(text))
	if err != nil {
		return err
	}
	for _, let := range savedNames(string(text)) {
		if err := c.input(ctx, let); err != nil {
			return notNamed(path, let, err)
		}
		list = append(list, let)
	}
	c.say("declared " + strings.Join(list, ", "))
	return nil
}

// notNamed is why an expression that was saved is none here.
func notNamed(path, let string, err error) error {
	var program *godwit.SourceError
	if !errors.As(err, &program) || len(program.Messages) == 0 {
		return err
	}
	name, _, _ := strings.Cut(let, " =")
	return &godwit.InputError{Text: path + ": `" + name + "`: " + program.Messages[0].Text,
		Help: "before :load, name the files that it is made of as they were called: NAME = FILES", Err: err}
}

// save writes a new file: what exists may be somebody's work.
func (c *conversation) save(_ context.Context, path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, os.ErrExist) {
		return &godwit.InputError{Text: path + " exists", Help: "name a file that does not, or remove it first", Err: err}
	}
	if err == nil {
		_, err = f.WriteString(c.session.Source() + asComments(c.session.Texts()))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return &godwit.InputError{Text: path + ": " + cause(err).Error(), Err: err}
	}
	c.say("wrote " + path)
	return nil
}

// complete gives what the word before the cursor may become: an operation or a field behind a point, a command behind a colon, a name
// elsewhere.
func (c *conversation) complete(text string, pos int) (head string, list []string, tail string) {
	runes := []rune(text)
	pos = min(pos, len(runes))
	from := pos
	for from > 0 && (runes[from-1] == '_' || unicode.IsLetter(runes[from-1]) || unicode.IsDigit(runes[from-1])) {
		from--
	}
	head, tail = string(runes[:from]), string(runes[pos:])
	var among []string
	switch typed := strings.TrimSpace(head); {
	case typed == ":":
		for _, k := range replCommands {
			among = append(among, k.name)
		}
	case strings.HasSuffix(typed, ".") && !strings.HasSuffix(typed, ".."):
		among = append(elaborate.Methods(), c.session.Fields()...)
	default:
		among = append(c.session.Names(), "let", "fn", "record", "const")
	}
	slices.Sort(among)
	for _, w := range slices.Compact(among) {
		if strings.HasPrefix(w, string(runes[from:pos])) {
			list = append(list, w)
		}
	}
	return head, list, tail
}
