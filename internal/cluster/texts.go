package cluster

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: a data set with columns of text. Out: their dictionaries, which lie in a data set of their own, its companion: one column of bytes, cut,
// replicated, checked and healed as any other. Shards hold numbers of entries; the companion is loaded before its set
// and dropped after it. For each column of text, in order, it has how many entries there are, and each with its length before it, as
// varints. What is read of it is not trusted: entries are UTF-8 in ascending order, and nothing follows.

// loadTexts stores the dictionaries of the set that is being loaded.
func (l *loading) loadTexts(ctx context.Context) error {
	var list [][]string
	for _, texts := range l.split.Texts {
		if texts != nil {
			list = append(list, texts)
		}
	}
	if list == nil {
		return nil
	}
	b := appendTexts(nil, list)
	src := data.FromBytes("the texts of @"+l.set.Name, []data.Column{{Name: "byte", Kind: num.U8, Stored: "uint8"}}, int64(len(b)), [][]byte{b}, nil)
	loaded, err := l.c.load(ctx, src, catalog.TextsOf(l.set.ID), LoadOptions{Shards: int(1 + int64(len(b))/columnBytes), Replicas: l.opt.Replicas, Far: l.opt.Far, Deadline: l.opt.Deadline}, true)
	if err != nil {
		return fmt.Errorf("the dictionaries: %w", err)
	}
	l.set.Texts = loaded.ID
	return nil
}

// forgetTexts takes the companion of a set that is gone from the catalogue, and gives it: nil if there is none. One that is not reached stays, is
// listed, and can be dropped by its name.
func (c *Cluster) forgetTexts(ctx context.Context, set *catalog.Set) (*catalog.Set, error) {
	if set.Texts == 0 {
		return nil, nil
	}
	gone, err := c.cfg.Control.Remove(ctx, catalog.TextsOf(set.ID))
	if missing := (*control.MissingError)(nil); errors.As(err, &missing) {
		return nil, nil
	}
	return gone, err
}

// dropAll has nodes delete the shards of sets that are not in the catalogue, where that takes no longer than dropTime. What stays they delete
// when they see that.
func (c *Cluster) dropAll(ctx context.Context, sets ...*catalog.Set) error {
	ctx, cancel := context.WithTimeout(ctx, dropTime)
	defer cancel()
	var errs []error
	for _, s := range sets {
		if s != nil {
			errs = append(errs, c.dropShards(ctx, s))
		}
	}
	return errors.Join(errs...)
}

func appendTexts(b []byte, list [][]string) []byte {
	for _, texts := range list {
		b = binary.AppendUvarint(b, uint64(len(texts)))
		for _, t := range texts {
			b = append(binary.AppendUvarint(b, uint64(len(t))), t...)
		}
	}
	return b
}

// parseTexts reads n dictionaries.
func parseTexts(b []byte, n int) ([][]string, error) {
	number := func() (uint64, error) {
		x, k := binary.Uvarint(b)
		if k <= 0 || x > uint64(len(b)) {
			return 0, fmt.Errorf("a number is cut off or too large, %d bytes before the end", len(b))
		}
		b = b[k:]
		return x, nil
	}
	var list [][]string
	for range n {
		count, err := number()
		if err != nil {
			return nil, err
		}
		texts := make([]string, 0, count)
		for range count {
			size, err := number()
			if err != nil || size > uint64(len(b)) {
				return nil, fmt.Errorf("an entry is cut off, %d bytes before the end", len(b))
			}
			t := string(b[:size])
			if b = b[size:]; !utf8.ValidString(t) || len(texts) > 0 && t <= texts[len(texts)-1] {
				return nil, fmt.Errorf("entry %d is no UTF-8 or out of order", len(texts))
			}
			texts = append(texts, t)
		}
		list = append(list, texts)
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("%d bytes follow", len(b))
	}
	return list, nil
}

// dictionaries keeps those that were read, of the sets that were asked for last.
type dictionaries struct {
	mu   sync.Mutex
	sets map[uint32]*dictionary
	last []uint32
}

// dictionary has the texts of a set's columns, once they are read.
type dictionary struct {
	mu   sync.Mutex
	list [][]string // by column; nil for what is no text
}

// keptSets is how many sets' dictionaries are kept.
const keptSets = 8

func (d *dictionaries) of(set uint32) *dictionary {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sets == nil {
		d.sets = map[uint32]*dictionary{}
	}
	if d.sets[set] == nil {
		if len(d.last) == keptSets {
			delete(d.sets, d.last[0])
			d.last = d.last[1:]
		}
		d.sets[set], d.last = &dictionary{}, append(d.last, set)
	}
	return d.sets[set]
}

// Texts implements data.Dictionary: the entries that the numbers of a column of text stand for.
func (s *source) Texts(ctx context.Context, column int) ([]string, error) {
	if s.set.Columns[column].Means.Sort != meaning.Text {
		return nil, nil
	}
	d := s.c.texts.of(s.set.ID)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.list == nil {
		list, err := s.readTexts(ctx)
		if err != nil {
			return nil, fmt.Errorf("the texts of @%s, column `%s`: %w", s.set.Name, s.set.Columns[column].Name, err)
		}
		d.list = list
	}
	return d.list[column], nil
}

func (s *source) readTexts(ctx context.Context) ([][]string, error) {
	set, there := s.c.View().Set(s.set.Texts)
	if !there {
		return nil, &caller.Error{Reason: parcel.NoShard, Shard: -1, Gone: true, Detail: "they are in the cluster no more: load the set again"}
	}
	src := s.c.sourceOf(set)
	all := make([]byte, 0, src.Rows())
	for i, c := range src.Chunks() {
		part := make([]byte, c.Rows())
		if _, err := src.Fill(ctx, i, []data.Want{{Column: 0, Kind: num.U8}}, []data.Dest{{Values: part}}); err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	count := 0
	for _, c := range s.set.Columns {
		if c.Means.Sort == meaning.Text {
			count++
		}
	}
	found, err := parseTexts(all, count)
	if err != nil {
		return nil, err
	}
	list := make([][]string, len(s.set.Columns))
	for i, c := range s.set.Columns {
		if c.Means.Sort == meaning.Text {
			list[i], found = found[0], found[1:]
		}
	}
	return list, nil
}
