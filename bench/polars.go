package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/measure"
)

//go:embed peer/tables.py
var tablesScript []byte

// polars is a process with Polars.
type polars struct{ *python }

func startPolars(ctx context.Context, dir string, threads int) (*polars, error) {
	env := append(os.Environ(), fmt.Sprintf("POLARS_MAX_THREADS=%d", threads))
	p, err := startPython(ctx, "polars", env, dir, "tables.py", answering(tablesScript))
	if err != nil {
		return nil, err
	}
	return &polars{p}, nil
}

// table names a Parquet file, and reads it if it shall be in memory.
func (p *polars) table(name, path string, memory bool) error {
	if p == nil {
		return nil
	}
	where := "file"
	if memory {
		where = "memory"
	}
	_, err := p.figures("table " + name + " " + path + " " + where)
	return err
}

// answer has Polars answer a question, and adds the answer up outside of the time.
func (p *polars) answer(q problem) measure.Runner {
	sums := "v1 v2"
	if len(q.tables) == 0 {
		sums = strings.NewReplacer("fsum(", "", ")", "", ",", "").Replace(q.sums)
	}
	return func(context.Context) (time.Duration, []float64, error) {
		list, err := p.figures("ask " + sums + " = " + q.polars)
		if err != nil {
			return 0, nil, err
		}
		return time.Duration(list[0] * float64(time.Second)), list[1:], nil
	}
}

// figures are the numbers of an answer.
func (p *polars) figures(what string) (list []float64, err error) {
	line, err := p.ask(what)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != "ok" {
		return nil, fmt.Errorf("%s: %s", what, line)
	}
	for _, w := range words[1:] {
		x, err := strconv.ParseFloat(w, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %s", what, line)
		}
		list = append(list, x)
	}
	return list, nil
}
