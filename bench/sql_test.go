package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit"
)

// question is one of docs/sql.md, in both languages.
type question struct{ title, sql, program, param, file string }

var (
	heading = regexp.MustCompile(`(?m)^### (.+)$`)
	block   = regexp.MustCompile("(?s)```(\\w+)\n(.*?)```")
	asked   = regexp.MustCompile(`(?m)^\$ godwit run \w+\.gw:q (.+?)( --.*)?$`)
	copied  = regexp.MustCompile(`(?s)^COPY \((.*)\) TO '`)
)

func readQuestions(t *testing.T) (list []question) {
	page, err := os.ReadFile("../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	at := heading.FindAllSubmatchIndex(page, -1)
	for i, m := range at {
		end := len(page)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		q := question{title: string(page[m[2]:m[3]])}
		for _, b := range block.FindAllSubmatch(page[m[1]:end], -1) {
			switch text := string(b[2]); string(b[1]) {
			case "sql":
				if q.sql = text; copied.MatchString(text) { // what is written is asked for here, and TestPartitions writes it
					q.sql = copied.FindStringSubmatch(text)[1]
				}
			case "rust":
				q.program = text
			case "console":
				if c := asked.FindStringSubmatch(text); c != nil {
					q.param = c[1]
				}
			}
		}
		if q.sql == "" || q.program == "" || q.param == "" {
			t.Fatalf("%s: a question has a block of sql, one of rust and the command", q.title)
		}
		list = append(list, q)
	}
	return list
}

// sheets are the files that the page asks about.
var sheets = map[string]string{
	"flights": "../examples/tables/flights.csv", "airports": "../examples/tables/airports.csv", "sp500": "../examples/rolling/sp500-2000.csv",
}

// TestSQL asks DuckDB and Godwit all questions of the page, and compares each number and text of the answers in order.
func TestSQL(t *testing.T) {
	db, err := openDuck(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer db.close()
	for name, path := range sheets {
		if _, err := db.db.Exec(fmt.Sprintf("CREATE TABLE %s AS SELECT * FROM read_csv('%s')", name, path)); err != nil {
			t.Fatal(err)
		}
	}
	list := readQuestions(t)
	for _, q := range list {
		want, err := askDuck(db.db, q.sql)
		if err != nil {
			t.Errorf("%s: %v", q.title, err)
			continue
		}
		got, err := askGodwit(t, q)
		if err != nil {
			t.Errorf("%s: %v", q.title, err)
			continue
		}
		if len(want) == 0 || !sameAnswers(got, want) {
			t.Errorf("%s:\nGodwit %v\nDuckDB %v", q.title, got, want)
		}
	}
	if len(list) < 40 {
		t.Errorf("%d questions", len(list))
	}
}

// askDuck is the fields of all rows in order.
func askDuck(db *sql.DB, text string) (all []any, err error) {
	rows, err := db.Query(text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	row, into := make([]any, len(names)), make([]any, len(names))
	for i := range row {
		into[i] = &row[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		all = append(all, row...)
	}
	return all, rows.Err()
}

// askGodwit is the values in the result in order.
func askGodwit(t *testing.T, q question) ([]any, error) {
	p, err := godwit.Compile(q.program)
	if err != nil {
		return nil, err
	}
	f, err := p.Func("q")
	if err != nil {
		return nil, err
	}
	args := godwit.Args{}
	for _, a := range strings.Fields(q.param) {
		name, file, _ := strings.Cut(a, "=")
		args[name] = godwit.File(sheets[strings.TrimSuffix(file, ".csv")])
	}
	r, err := f.Call(t.Context(), args)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	d := json.NewDecoder(bytes.NewReader(r.JSON()))
	d.UseNumber()
	return leaves(d, nil)
}

// leaves reads the next value and adds what is no array and no object to all.
func leaves(d *json.Decoder, all []any) ([]any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	open, nested := token.(json.Delim)
	if !nested {
		return append(all, token), nil
	}
	for d.More() {
		if open == '{' {
			if _, err := d.Token(); err != nil { // the field's name
				return nil, err
			}
		}
		if all, err = leaves(d, all); err != nil {
			return nil, err
		}
	}
	_, err = d.Token() // the end
	return all, err
}

// sameAnswers compares floats to nine digits.
func sameAnswers(got, want []any) bool {
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		if !sameValue(got[i], want[i]) {
			return false
		}
	}
	return true
}

func sameValue(got, want any) bool {
	switch w := want.(type) {
	case nil:
		return got == nil
	case time.Time:
		s, ok := got.(string)
		return ok && (s == w.UTC().Format("2006-01-02T15:04:05Z") || s == w.UTC().Format(time.DateOnly) && w.Equal(w.Truncate(24*time.Hour)))
	case string:
		return got == w
	case bool:
		return got == w
	}
	n, ok := got.(json.Number)
	if !ok {
		return false
	}
	g, err := n.Float64()
	var w float64
	if _, bad := fmt.Sscan(fmt.Sprint(want), &w); err != nil || bad != nil {
		return false
	}
	return g == w || math.Abs(g-w) <= 1e-9*math.Max(math.Abs(g), math.Abs(w))
}
