package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// call is a function over one data set, with what it gives on one machine.
type call struct {
	name, set string
	program   string
	argument  string // NAME=%s of the set
	file      string // the set as a file
	rest      []string
	array     bool // the result is a file
	want      []byte
}

var strategies = []string{"auto", "ship", "fetch", "gather"}

// starts is from how many places chases begin.
const starts = 2

// localAnswers are all calls, with their answers from files.
func (r *run) localAnswers(ctx context.Context) ([]*call, error) {
	rng := rand.New(rand.NewPCG(r.Seed, 3))
	list := []*call{
		{name: "fold", set: "v", program: "fold.gw", argument: "v=%s", file: "v.npy"},
		{name: "search", set: "keys", program: "search.gw", argument: "keys=%s", file: "keys.npy", rest: []string{"queries=" + filepath.Join(r.tables.dir, "queries.npy")}},
		{name: "group", set: "table", program: "group.gw", argument: "t=%s", file: "table.parquet"},
		{name: "histogram", set: "v", program: "histogram.gw", argument: "v=%s", file: "v.npy", rest: []string{"lo=-1e6", "hi=1e6"}},
		{name: "scan", set: "v", program: "scan.gw", argument: "v=%s", file: "v.npy", array: true},
		{name: "map", set: "v", program: "map.gw", argument: "v=%s", file: "v.npy", rest: []string{"k=2.5"}, array: true},
		{name: "filter", set: "v", program: "filter.gw", argument: "v=%s", file: "v.npy", array: true},
	}
	for range starts {
		list = append(list, &call{name: "chase", set: "next", program: "chase.gw", argument: "next=%s", file: "next.npy",
			rest: []string{fmt.Sprintf("start=%d", rng.IntN(chaseRows)), "steps=300"}})
	}
	for i, c := range list {
		out := filepath.Join(r.tables.dir, fmt.Sprintf("local-%d.npy", i))
		o := r.godwit(ctx, time.Minute, c.words(filepath.Join(r.tables.dir, c.file), r.tables.dir, out)...)
		var err error
		if c.want, err = c.answer(o, out); err != nil {
			return nil, fmt.Errorf("%s on one machine: %w", c.name, err)
		}
	}
	return list, nil
}

// words are the command line over one form of the set.
func (c *call) words(from, dir, out string) []string {
	w := []string{"run", filepath.Join(dir, c.program), fmt.Sprintf(c.argument, from)}
	w = append(w, c.rest...)
	if c.array {
		return append(w, "--out", out)
	}
	return append(w, "--json")
}

// answer is the result alone, without what the run did.
func (c *call) answer(o *output, out string) ([]byte, error) {
	if o.code != 0 {
		return nil, fmt.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	if c.array {
		return os.ReadFile(out)
	}
	var v struct{ Result json.RawMessage }
	err := json.Unmarshal([]byte(o.stdout), &v)
	return v.Result, err
}

// ended is how a call ended.
type ended struct {
	verdict verdict
	text    string
	took    time.Duration
}

// ask makes a call. With killAfter its client is killed then.
func (r *run) ask(ctx context.Context, c *call, strategy string, killAfter time.Duration) ended {
	out := filepath.Join(r.Dir, fmt.Sprintf("out-%d.npy", r.serial.Add(1)))
	defer os.Remove(out)
	words := c.words("@"+c.set, r.tables.dir, out)
	words = append(words, "--cluster", r.dir, "--deadline", Deadline.String(), "--strategy", strategy)
	limit := Hung
	if killAfter > 0 {
		limit = killAfter
	}
	began := time.Now()
	o := r.godwit(ctx, limit, words...)
	e := ended{took: time.Since(began)}
	got, err := c.answer(o, out)
	switch {
	case o.killed && killAfter > 0:
		e.verdict = killed
	case ctx.Err() != nil:
		e.verdict = killed // the run is over
	case o.killed:
		e.verdict = hung
	case e.took > Deadline+Allowance:
		e.verdict = late
	case err == nil && !bytes.Equal(got, c.want):
		e.verdict, e.text = wrong, fmt.Sprintf("%d bytes, expected %d: %.200s, expected %.200s", len(got), len(c.want), got, c.want)
	case err == nil:
		e.verdict = right
	default:
		e.verdict = r.account.excuse(c.set, began, time.Now())
	}
	if err != nil {
		e.text = strings.TrimSpace(err.Error())
	}
	return e
}

// one makes a call and enters it.
func (r *run) one(ctx context.Context, c *call, by *client) {
	strategy, killAfter := strategies[by.rng.IntN(len(strategies))], time.Duration(0)
	if r.wants("clientkill") && by.rng.IntN(25) == 0 {
		killAfter = time.Duration(20+by.rng.IntN(200)) * time.Millisecond
	}
	e := r.ask(ctx, c, strategy, killAfter)
	if e.verdict == killed {
		r.report.fault("clientkill")
	}
	r.report.called(c.name, e.verdict, e.took)
	if e.verdict != right {
		defer sleep(ctx, 300*time.Millisecond) // as somebody would who tries again
		r.say("call %s by %s: %s after %.1f s: %s", c.name, strategy, e.verdict, e.took.Seconds(), e.text)
	}
	if slices.Contains(findings, e.verdict) {
		r.report.find(string(e.verdict), "%s by %s at %.1f s, after %.1f s: %s; %s", c.name, strategy, r.seconds(), e.took.Seconds(), e.text, r.account.told())
	}
}

// client makes one call after the other.
type client struct {
	r   *run
	rng *rand.Rand
}

func (c *client) work(ctx context.Context) {
	for {
		select {
		case <-c.r.stop:
			return
		case <-ctx.Done():
			return
		default:
			c.r.one(ctx, c.r.calls[c.rng.IntN(len(c.r.calls))], c)
		}
	}
}
