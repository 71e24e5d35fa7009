package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/pattern"
)

// In: a column of a data set, and the column of new rows that goes with it. Out: the type that holds both, if there is one; and, where rows are
// refused, what the set has and a command that takes them. Invariant: what a help says works when it is done.

// widened is a type that holds what a column of the set and one of a table have; false, and that of the set, if there is none.
func widened(c *data.Column, src data.Source, from int) (data.Column, bool) {
	out, is := *c, &src.Columns()[from]
	out.Nullable = c.Nullable || is.Nullable
	switch plain := c.Means.Sort == meaning.None && is.Means.Sort == meaning.None; {
	case !slices.Equal(c.Dims, is.Dims), c.Means.Sort == meaning.Text && !data.IsText(src, from):
		return *c, false
	case is.Unknown, c.Means.Sort == meaning.Text, c.Means == is.Means && !plain:
		return out, true
	case plain:
		out.Kind = widerKind(c.Kind, is.Kind)
	default:
		if out.Means = widerMeaning(c, is); out.Means.Sort == meaning.None {
			return *c, false
		}
		if out.Kind = num.I64; out.Means.Bits() == 32 {
			out.Kind = num.I32
		}
	}
	if out.Kind == num.Invalid {
		return *c, false
	}
	if out.Kind != c.Kind || out.Means != c.Means {
		out.Stored = is.Stored
	}
	return out, true
}

// widerKind holds the numbers of both; Invalid if they are no numbers. Integers that no kind holds become floats, where that is exact.
func widerKind(a, b num.Kind) num.Kind {
	switch {
	case a == b:
		return a
	case !a.Valid() || !b.Valid() || a == num.Bool || b == num.Bool:
		return num.Invalid
	case !a.IsInt() || !b.IsInt():
		return num.F64
	}
	for _, k := range []num.Kind{a, b, num.I16, num.I32, num.I64} {
		if k.MinInt() <= min(a.MinInt(), b.MinInt()) && k.MaxInt() >= max(a.MaxInt(), b.MaxInt()) {
			return k
		}
	}
	return num.F64
}

// widerMeaning holds the times or decimals of both, each exactly; the zero value if there is none.
func widerMeaning(c, is *data.Column) meaning.Meaning {
	a, b := c.Means, is.Means
	points := func(s meaning.Sort) bool { return s == meaning.Date || s == meaning.Timestamp }
	switch {
	case a.Sort == meaning.None && c.Kind.IsInt() && b.Sort == meaning.Decimal:
		return meaning.Meaning{Sort: meaning.Decimal, Digits: meaning.MaxDigits, Places: b.Places}
	case b.Sort == meaning.None && is.Kind.IsInt() && a.Sort == meaning.Decimal:
		return meaning.Meaning{Sort: meaning.Decimal, Digits: meaning.MaxDigits, Places: a.Places}
	case a.Sort == meaning.Decimal && b.Sort == meaning.Decimal:
		places := max(a.Places, b.Places)
		digits := max(a.Digits-a.Places, b.Digits-b.Places) + places
		return meaning.Meaning{Sort: meaning.Decimal, Digits: min(digits, meaning.MaxDigits), Places: places}
	case a.Sort == b.Sort && a.IsTime() && a.Sort != meaning.Date, points(a.Sort) && points(b.Sort):
		if a.Sort == meaning.Date || b.Sort != meaning.Date && b.Unit.Nanos() < a.Unit.Nanos() {
			return b
		}
		return a
	}
	return meaning.Meaning{}
}

// unlike is the error for a table whose columns are not those of the set, with all that differ; nil where their names are the same. used are those
// that are left out.
func (a *appended) unlike(ctx context.Context, used map[int]bool) error {
	var lacking []string
	var first error
	found := map[int]bool{}
	for i := range a.old.cols {
		from, err := called(a.new, a.old.cols[i].Name)
		if err != nil {
			first = cmp.Or(first, err)
			lacking = append(lacking, a.old.cols[i].Name)
			continue
		}
		found[from] = true
	}
	var more []string
	for i := range a.new.Columns() {
		if !used[i] && !found[i] {
			more = append(more, data.Called(a.new, i))
		}
	}
	set := "@" + a.old.set.Name
	e := &data.Error{Path: a.new.Path(), Row: -1}
	switch {
	case len(lacking)+len(more) == 0:
		return nil
	case len(lacking) == 1 && len(more) == 0:
		return a.lacks(lacking[0], first)
	case len(lacking) == 0 && len(more) == 1:
		e.Column, e.Msg = more[0], set+" has no such column"
	case len(more) == 0:
		e.Msg = fmt.Sprintf("%s has the columns %s, and this file has not", set, quoted(lacking))
	case len(lacking) == 0:
		e.Msg = fmt.Sprintf("%s has no columns %s", set, quoted(more))
	default:
		e.Msg = fmt.Sprintf("%s has %s, and this file has not; it has %s, and %s has not", set, columns(lacking), quoted(more), set)
	}
	e.Help = a.bothHelp(lacking, more)
	if e.Column == "" {
		a.otherTypes(ctx, e)
	}
	return e
}

// otherTypes adds to an error about names the columns whose types differ, too, and what to do about the first that no type holds.
func (a *appended) otherTypes(ctx context.Context, e *data.Error) {
	typed, err := data.Typed(ctx, a.new, nil)
	if err != nil {
		return
	}
	for i := range a.old.cols {
		c := &a.old.cols[i]
		from, err := called(typed, c.Name)
		if err != nil || c.Unknown || c.Means.Sort == meaning.Text && data.IsText(typed, from) {
			continue
		}
		to, ok := widened(c, typed, from)
		if ok && to.Type() == c.Type() {
			continue
		}
		e.Msg += fmt.Sprintf("; `%s` is %s there, and %s here", c.Name, c.Type(), typed.Columns()[from].Type())
		if !ok {
			option := ""
			if why := data.Unfit(typed, from); why != nil {
				option = why.Help
			}
			e.Help = fmt.Sprintf("`%s`: %s\n%s", c.Name, a.instead(c, typed, from, option), e.Help)
		}
	}
}

// bothHelp is what takes rows whose columns are others than those of the set: the file with other names, where it is known which, or --widen.
func (a *appended) bothHelp(lacking, more []string) string {
	var lines []string
	if old, now := renamed(lacking, more); len(old) > 0 {
		lines = append(lines, renaming(a.new, a.old.set.Name, old, now))
	}
	then := ""
	switch {
	case len(more) == 0:
		then = "these rows have no value in " + quoted(lacking)
	case len(lacking) == 0:
		then = "the rows that are there have no value in " + quoted(more)
	default:
		then = "these rows have no value in " + quoted(lacking) + ", those that are there none in " + quoted(more)
	}
	lines = append(lines, "add --widen: then "+then+", and programs declare that as an Option")
	if len(more) > 0 {
		skip := make([]string, len(more))
		for i, name := range more {
			skip[i] = "--skip " + word(name)
		}
		if len(lacking) > 0 {
			skip = append(skip, "--widen")
		}
		lines = append(lines, "leave out what the set has not: "+strings.Join(skip, " "))
	}
	return strings.Join(lines, "\nor ")
}

// renamed pairs columns that probably are the same under another name: the only one on both sides, or those with names that are alike.
func renamed(lacking, more []string) (old, now []string) {
	if len(lacking) == 1 && len(more) == 1 {
		return more, lacking
	}
	for _, name := range lacking {
		if near := diag.Nearest(name, more); near != "" && !slices.Contains(old, near) {
			old, now = append(old, near), append(now, name)
		}
	}
	return old, now
}

var simpleName = pattern.Of(`^\w+$`)

// renaming says how columns get the names that the set has: of a plain CSV file, whose first line is names without signs, by a command, of others in
// words.
func renaming(src data.Source, set string, old, now []string) string {
	plain := data.AsItIs(src) && !slices.ContainsFunc(src.Columns(), func(c data.Column) bool { return !simpleName().MatchString(c.Name) })
	var edits, words []string
	for i := range old {
		plain = plain && simpleName().MatchString(now[i])
		edits = append(edits, fmt.Sprintf(`s/\b%s\b/%s/`, old[i], now[i]))
		words = append(words, fmt.Sprintf("`%s` is `%s`", old[i], now[i]))
	}
	what := "if " + strings.Join(words, " and ") + ", "
	if !plain {
		return what + "write the file with the names that @" + set + " has"
	}
	to := unusedFile("renamed.csv")
	return what + "add the file with that name: sed " + word("1"+strings.Join(edits, "; 1")) + " " + word(src.Path()) + " > " + to + " && godwit load " + to + " --as " + set + " --append"
}

// unusedFile is a name like this that no file has: a command that writes there loses nothing.
func unusedFile(name string) string {
	ext := filepath.Ext(name)
	for i, like := 2, strings.TrimSuffix(name, ext); ; i++ {
		if _, err := os.Lstat(name); err != nil {
			return name
		}
		name = fmt.Sprintf("%s-%d%s", like, i, ext)
	}
}

func quoted(names []string) string {
	shown := make([]string, len(names))
	for i, n := range names {
		shown[i] = "`" + n + "`"
	}
	if n := len(shown); n > 1 {
		return strings.Join(shown[:n-1], ", ") + " and " + shown[n-1]
	}
	return shown[0]
}

func columns(names []string) string {
	if len(names) == 1 {
		return "the column " + quoted(names)
	}
	return "the columns " + quoted(names)
}

// lacks is the error for a column that the new table has not.
func (a *appended) lacks(name string, err error) error {
	e := (*data.Error)(nil)
	if !errors.As(err, &e) {
		return err
	}
	with := *e
	with.Msg = fmt.Sprintf("@%s has the column `%s`: %s", a.old.set.Name, name, e.Msg)
	if with.Help = "add --widen: then these rows have no value there, and programs declare it as an Option"; e.Help != "" {
		with.Help = e.Help + "\nor " + with.Help
	}
	return &with
}

// differs is the error for a column of another type.
func (a *appended) differs(i int) error {
	c, is := &a.old.cols[i], &a.new.Columns()[a.from[i]]
	e := &data.Error{Path: a.new.Path(), Row: -1, Column: c.Name}
	e.Msg = fmt.Sprintf("expected %s, as @%s has it, found %s", c.Type(), a.old.set.Name, is.Stored)
	return e
}

// refused gives an error about a value or a type of the new rows a help for who adds rows: declarations are those of programs.
func (a *appended) refused(ctx context.Context, err error) error {
	e := (*data.Error)(nil)
	if !errors.As(err, &e) || e.Column == "" || e.Err != nil {
		return err
	}
	typed, failed := data.Typed(ctx, a.new, nil)
	if failed != nil {
		return err
	}
	i := slices.IndexFunc(a.old.cols, func(c data.Column) bool {
		from, err := called(typed, c.Name)
		return err == nil && typed.Columns()[from].Name == e.Column
	})
	if i < 0 {
		return err
	}
	c := &a.old.cols[i]
	from, _ := called(typed, c.Name)
	with := *e
	if !strings.Contains(e.Msg, "@"+a.old.set.Name) {
		with.Msg += fmt.Sprintf("; @%s has %s there", a.old.set.Name, c.Type())
	}
	with.Help = a.instead(c, typed, from, e.Help)
	return &with
}

// instead is what takes the rows all the same. option is the help for who reads the file: how numbers, dates or missing values are written is
// said behind its name here, too.
func (a *appended) instead(c *data.Column, typed data.Source, from int, option string) string {
	empty := ""
	if !c.Nullable && !a.widen {
		empty = " and add --widen"
	}
	switch to, ok := widened(c, typed, from); {
	case strings.HasPrefix(option, "say how "):
		return option
	case strings.Contains(option, "?na="):
		return option + strings.Replace(empty, " and", "; in both cases", 1)
	case ok && !a.widen && to.Type() != c.Type():
		is := &typed.Columns()[from]
		perhaps := is.Nullable && !c.Nullable && !data.Untyped(typed) // it may have nulls, and need not
		to.Nullable = to.Nullable && !perhaps
		help := "add --widen: then the column is " + to.Type()
		if perhaps {
			help += ", as an Option if a value is missing"
		}
		if to.Kind == num.F64 && (mayRound(c.Kind) || mayRound(is.Kind)) {
			help += ", if that holds all of its integers"
		}
		return help
	case strings.Contains(option, "?types="):
		plain := *c
		plain.Nullable = false
		return "have the file say what the set has: " + data.SayType(c.Name, plain.Type()) + ", or leave its name out of ?types="
	}
	if why := data.Unfit(typed, from); why != nil && !data.IsText(typed, from) && !data.Untyped(typed) {
		return why.Help // no file has it so that it could be converted
	}
	if !data.Untyped(typed) {
		return fmt.Sprintf("store the column as %s in %s, or load all rows anew, from files in which it has one type: --replace", c.Type(), a.new.Path())
	}
	if c.Means.Sort == meaning.Decimal && typed.Columns()[from].Kind == num.F64 {
		return fmt.Sprintf("correct it, or have the column hold the decimals of both: write ?types=%s:Decimal behind the name of the file, and --widen", c.Name)
	}
	return fmt.Sprintf("correct it, leave the field empty where a value is missing%s, or load the files of all rows anew, with the column as text: ?text=%s behind their names, and --replace", empty, c.Name)
}

// mayRound reports integers that f64 does not hold all of.
func mayRound(k num.Kind) bool { return k == num.I64 || k == num.U64 }

// inexact gives an error about a row of the set that the wider type does not hold a help for who adds rows.
func (a *appended) inexact(err error) error {
	e := (*data.Error)(nil)
	if !a.widen || !errors.As(err, &e) || e.Err != nil {
		return err
	}
	with := *e
	with.Help = "no type holds these and the new rows exactly: leave --widen out, and correct or round the rows that are added"
	return &with
}

// word is a word as a shell takes it.
func word(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
