package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
)

// In: a data set, and a table with more rows. Out: a table with the rows of both, whose types are those of the set and whose dictionaries have the
// texts of both; it is stored as a set of its own, which then takes the name. Invariant: all new rows were read once, as what the set has,
// before anything is stored; and the catalogue knows what was added by the digest of its values, so that the same rows are not added
// twice by somebody who missed the answer.

// appended is the table of both.
type appended struct {
	old     *source
	new     data.Source
	widen   bool
	columns []data.Column // as the set has them, or will have
	from    []int         // columns of new; -1 of what it lacks
	fits    []bool        // of columns of the set: with Widen, that text is read as what they are
	first   []bool        // of columns that no row of the set has a value in: the new rows say what they are
	coded   []*data.Coded // of columns of text, the new rows
	texts   [][]string    // of columns of text, of both
	oldCode [][]uint32    // of columns of text: the code among texts of each code of the set
	newCode [][]uint32
	chunks  []data.Chunk
	notes   []string // what programs see of the new rows in the old ones' columns
}

// continued gives the table for an append, and what is added; rows that the set has already are no table.
func (c *Cluster) continued(ctx context.Context, src data.Source, name string, opt *LoadOptions) (*appended, *catalog.Set, *catalog.Added, error) {
	if opt.Replace {
		return nil, nil, nil, errors.New("rows are added to a data set, or it is replaced: leave one out")
	}
	if v, err := c.cfg.Control.View(ctx); err == nil {
		c.learn(v)
	}
	set, err := c.named(name)
	if none := (*NoSetError)(nil); errors.As(err, &none) {
		with := *none
		if with.Help = "leave --append out: then it is a new data set"; none.Help != "" && len(c.View().Sets) > 0 {
			with.Help = none.Help + " or " + with.Help
		}
		return nil, nil, nil, &with
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if opt.Far && !set.Far || opt.Disks && set.Far {
		return nil, nil, nil, stays(set)
	}
	a := &appended{old: c.sourceOf(set), new: src, widen: opt.Widen}
	cut := store.SplitOptions{Shards: max(opt.Shards, 1), By: opt.By}
	if err := cut.Check(a.old); err != nil && cut.Check(src) != nil { // before rows are read
		return nil, nil, nil, err
	}
	if err := a.match(ctx, opt.Skip); err != nil {
		return nil, nil, nil, err
	}
	if err := a.mergeTexts(ctx); err != nil {
		return nil, nil, nil, a.refused(ctx, err)
	}
	a.chunks = slices.Clone(a.old.chunks)
	for _, ch := range src.Chunks() {
		a.chunks = append(a.chunks, data.Chunk{Lo: set.Rows + ch.Lo, Hi: set.Rows + ch.Hi})
	}
	digest, err := a.digest(ctx)
	if err != nil {
		return nil, nil, nil, a.refused(ctx, err)
	}
	added := &catalog.Added{Digest: digest, Rows: src.Rows()}
	if src.Rows() == 0 || !opt.Again && slices.ContainsFunc(set.Added, func(b catalog.Added) bool { return b.Digest == digest }) {
		return nil, set, added, nil
	}
	return a, set, added, nil
}

// stays is the error for rows that are to be added elsewhere than where the set lies.
func stays(set *catalog.Set) error {
	lies, flag := "on the disks of its nodes", "--far"
	if set.Far {
		lies, flag = "in far memory", "--far=false"
	}
	return fmt.Errorf("@%s lies %s, and rows that are added lie where it does: leave %s out, or load all of it with --replace %s", set.Name, lies, flag, flag)
}

// codesIn is where each of texts, sorted, stands in all, sorted.
func codesIn(all, texts []string) []uint32 {
	out, at := make([]uint32, len(texts)), 0
	for i, t := range texts {
		for all[at] != t {
			at++
		}
		out[i] = uint32(at)
	}
	return out
}

// digest reads all new rows as what the set has, and sums them up.
func (a *appended) digest(ctx context.Context) (string, error) {
	chunks := a.new.Chunks()
	sums := make([][sha256.Size]byte, len(chunks))
	var mu sync.Mutex
	err := data.Each(ctx, len(chunks), func(n int) error {
		rows := chunks[n].Rows()
		wants, dst := make([]data.Want, len(a.columns)), make([]data.Dest, len(a.columns))
		for i := range a.columns {
			c := &a.columns[i]
			wants[i] = data.Want{Column: i, Kind: c.Kind, Option: c.Nullable}
			if a.coded[i] != nil {
				wants[i].Kind = a.coded[i].Kind // which other texts of the set do not change
			}
			dst[i].Values = make([]byte, rows*c.Width()*int64(wants[i].Kind.Size()))
			if c.Nullable {
				dst[i].Valid = make([]byte, rows)
			}
		}
		if _, err := a.fillNew(ctx, n, wants, dst, a.codesAlone); err != nil {
			return err
		}
		h := sha256.New()
		for i := range dst { // neither whether the set has nulls elsewhere counts, nor what stands for a column without a value
			some, none := slices.Contains(dst[i].Valid, 1), slices.Contains(dst[i].Valid, 0)
			if some || !none {
				h.Write(dst[i].Values)
			}
			if none {
				h.Write(dst[i].Valid)
			}
		}
		mu.Lock()
		defer mu.Unlock()
		h.Sum(sums[n][:0])
		return nil
	})
	h := sha256.New()
	for _, t := range a.coded {
		if t != nil && !t.Valueless() {
			fmt.Fprintf(h, "%d %q\n", len(t.Texts), t.Texts)
		}
	}
	for i := range sums {
		h.Write(sums[i][:])
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), err
}

// codesAlone are the codes of new texts among themselves, which do not depend on the set.
func (a *appended) codesAlone(int) []uint32 { return nil }

func (a *appended) codesInBoth(column int) []uint32 { return a.newCode[column] }

// fillNew fills a chunk of the new rows.
func (a *appended) fillNew(ctx context.Context, chunk int, wants []data.Want, dst []data.Dest, codes func(column int) []uint32) (int64, error) {
	var ask []data.Want
	var to []data.Dest
	rows := a.new.Chunks()[chunk]
	for k, w := range wants {
		c, t := &a.columns[w.Column], a.coded[w.Column]
		if t == nil && a.from[w.Column] < 0 {
			clear(dst[k].Values)
			clear(dst[k].Valid)
			continue
		}
		if t == nil {
			ask = append(ask, data.Want{Column: a.from[w.Column], Kind: w.Kind, Option: w.Option, Presence: w.Presence, Means: c.Means})
			to = append(to, dst[k])
			continue
		}
		own, valid, err := t.Rows(rows.Lo, rows.Hi)
		if err != nil {
			return 0, err
		}
		for row := range dst[k].Valid {
			dst[k].Valid[row] = 1
		}
		if dst[k].Valid != nil && valid != nil {
			copy(dst[k].Valid, valid)
		}
		recode(w, dst[k], codes(w.Column), func(row int64) uint64 { return column.Get(t.Kind, own, row) }, rows.Rows())
	}
	if len(ask) == 0 {
		return 0, ctx.Err()
	}
	return a.new.Fill(ctx, chunk, ask, to)
}

// recode writes codes of rows in another dictionary; nil is the same one. Under a null is 0.
func recode(w data.Want, d data.Dest, to []uint32, code func(row int64) uint64, rows int64) {
	for row := range rows {
		if d.Valid != nil && d.Valid[row] == 0 {
			column.Put(w.Kind, d.Values, row, 0)
			continue
		}
		v := code(row)
		if to != nil && v < uint64(len(to)) {
			v = uint64(to[v])
		}
		column.Put(w.Kind, d.Values, row, v)
	}
}

// Fill implements data.Source.
func (a *appended) Fill(ctx context.Context, chunk int, wants []data.Want, dst []data.Dest) (int64, error) {
	if k := chunk - len(a.old.chunks); k >= 0 {
		n, err := a.fillNew(ctx, k, wants, dst, a.codesInBoth)
		return n, err
	}
	var ask []data.Want
	var to []data.Dest
	rows := a.old.chunks[chunk].Rows()
	for k, w := range wants {
		switch was, c, d := a.was(w.Column), &a.columns[w.Column], dst[k]; {
		case a.first[w.Column]:
			clear(d.Values)
			clear(d.Valid)
			continue
		case a.coded[w.Column] != nil:
			w.Kind, w.Means = was.Kind, meaning.Meaning{}
			d.Values = make([]byte, rows*int64(w.Kind.Size()))
			ask, to = append(ask, w), append(to, d)
		default:
			if was.Means != c.Means {
				w.Means = c.Means
			}
			ask, to = append(ask, w), append(to, d)
		}
	}
	if len(ask) == 0 {
		return 0, ctx.Err()
	}
	n, err := a.old.Fill(ctx, chunk, ask, to)
	if err != nil {
		return n, a.inexact(err)
	}
	for k, w := range wants {
		if j := slices.IndexFunc(ask, func(o data.Want) bool { return o.Column == w.Column }); j >= 0 && a.coded[w.Column] != nil {
			recode(w, dst[k], a.oldCode[w.Column], func(row int64) uint64 { return column.Get(ask[j].Kind, to[j].Values, row) }, rows)
		}
	}
	return n, nil
}

// Texts implements data.Dictionary.
func (a *appended) Texts(_ context.Context, column int) ([]string, error) {
	return a.texts[column], nil
}

func (a *appended) Path() string {
	return strings.Join([]string{a.old.Path(), a.new.Path()}, ",")
}
func (a *appended) Format() string           { return "data set" }
func (a *appended) Rows() int64              { return a.old.Rows() + a.new.Rows() }
func (a *appended) Columns() []data.Column   { return a.columns }
func (a *appended) Chunks() []data.Chunk     { return a.chunks }
func (a *appended) Raw(int) (data.Raw, bool) { return data.Raw{}, false }
func (a *appended) Prune([]data.Pred) []bool { return nil }
func (a *appended) Unchanged() error         { return a.new.Unchanged() }
func (a *appended) Close() error             { return nil }
func (a *appended) FillPruned(int, []data.Pred, []data.Want, []data.Dest) error {
	return errors.New("a data set prunes nothing")
}
