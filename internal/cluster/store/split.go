package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Split is a table that is to be stored as shards. Read one after the other,
// the shards have exactly the rows of the table: in its own order, or, for
// "hash(column)", those of shard 0 first and within a shard in the table's
// order. The latter then is the order of the set's rows.
type Split struct {
	Columns []catalog.Column // as they are stored
	Left    []Left           // columns that are left out
	Notes   []string         // see data.Notes; of columns that are stored
	Rows    int64
	By      string
	Shards  []Range // rows of the set
	// Texts are the dictionaries of columns of text, sorted, by column; nil for others.
	Texts [][]string

	src  data.Source
	from []int // column of the source, for each of Columns
	key  int   // column of the source by which rows are hashed; -1 for none
	// hashes are the keys of that column's entries, if it is text.
	hashes []int64
}

// SplitOptions say how a table becomes shards.
type SplitOptions struct {
	Shards int
	By     string   // "blocks" (or ""), "rows" or "hash(column)"
	Skip   []string // columns that are left out
	// Looked, if set, is told of rows of text that were read for their types, by several
	// goroutines.
	Looked func(rows int64)
}

// NewSplit plans the shards of src. The types of text are those of all of its rows. To plan by
// hash reads the column once, and each shard reads the whole source again.
func NewSplit(ctx context.Context, src data.Source, opt SplitOptions) (*Split, error) {
	if opt.By == "" {
		opt.By = catalog.ByBlocks
	}
	err := opt.Check(src)
	if err != nil {
		return nil, err // before all of a file is read
	}
	name, hashed := catalog.HashColumn(opt.By)
	shards, _ := Cuts(src.Rows(), opt.Shards, opt.By) // of a hash it is planned later
	if src, err = data.Typed(ctx, src, opt.Looked); err != nil {
		return nil, err
	}
	s := &Split{src: src, Rows: src.Rows(), By: opt.By, Shards: shards, key: -1}
	if err = s.mean(ctx, opt.Skip); err == nil {
		err = s.choose(opt.Skip)
	}
	if err == nil && hashed {
		err = s.planHash(ctx, name, opt.Shards)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Check finds what is wrong with the options as far as the names of the columns tell: nothing is read.
func (o *SplitOptions) Check(src data.Source) error {
	if _, err := skipped(src, o.Skip); err != nil {
		return err
	}
	if name, hashed := catalog.HashColumn(o.By); hashed {
		_, err := data.Lookup(src, name)
		return err
	}
	_, err := Cuts(src.Rows(), o.Shards, cmp.Or(o.By, catalog.ByBlocks))
	return err
}

// mean has s.src stand for what its values mean: text becomes numbers of entries, dates and decimals integers. What is to be left
// out stays as it is.
func (s *Split) mean(ctx context.Context, skip []string) error {
	skipped, err := skipped(s.src, skip)
	if err != nil {
		return err
	}
	left := map[int]bool{}
	for i, is := range skipped {
		left[i] = is
	}
	s.Notes = data.Notes(s.src, left)
	s.src, err = data.Meant(ctx, s.src, left)
	return err
}

// textHashes are the first 8 bytes of the SHA-256 of each text of the key.
func (s *Split) textHashes(ctx context.Context) ([]int64, error) {
	texts, err := data.Texts(ctx, s.src, s.key)
	keys := make([]int64, len(texts))
	for i, t := range texts {
		sum := sha256.Sum256([]byte(t))
		keys[i] = int64(binary.LittleEndian.Uint64(sum[:]))
	}
	return keys, err
}

// planHash counts the rows of each shard.
func (s *Split) planHash(ctx context.Context, name string, shards int) (err error) {
	if s.key, err = data.Lookup(s.src, name); err != nil {
		return err
	}
	if shards < 1 {
		return fmt.Errorf("%d shards were asked for, at least one was expected", shards)
	}
	c := s.src.Columns()[s.key]
	if !c.Kind.IsInt() || len(c.Dims) > 0 {
		return fmt.Errorf("rows cannot be assigned to shards by column `%s` of %s: integers, text or times were expected, found %s", name, s.src.Path(), c.Type())
	}
	if c.Means.Sort == meaning.Text {
		if s.hashes, err = s.textHashes(ctx); err != nil {
			return err
		}
	}
	s.Shards = make([]Range, shards)
	count := make([]int64, shards)
	for i := range s.src.Chunks() {
		of, err := s.assign(ctx, i)
		if err != nil {
			return err
		}
		for _, h := range of {
			count[h]++
		}
	}
	row := int64(0)
	for i, n := range count {
		s.Shards[i] = Range{row, row + n}
		row += n
	}
	return nil
}

// assign gives the shard of each row of a chunk.
func (s *Split) assign(ctx context.Context, chunk int) ([]int, error) {
	rows := s.src.Chunks()[chunk].Rows()
	k := s.src.Columns()[s.key].Kind
	d := data.Dest{Values: make([]byte, rows*int64(k.Size())), Valid: make([]byte, rows)}
	if _, err := s.src.Fill(ctx, chunk, []data.Want{{Column: s.key, Kind: k, Option: true}}, []data.Dest{d}); err != nil {
		return nil, err
	}
	of := make([]int, rows)
	for i := range of {
		key := integer(d.Values[i*k.Size():], k)
		if s.hashes != nil && d.Valid[i] != 0 { // so that the shard of a text does not depend on what else there is
			key = s.hashes[key]
		}
		of[i] = ShardOf(key, len(s.Shards))
	}
	return of, nil
}

// integer reads a little-endian integer of kind k and extends it.
func integer(b []byte, k num.Kind) int64 {
	var v uint64
	for i := range k.Size() {
		v |= uint64(b[i]) << (8 * i)
	}
	if shift := 64 - k.Bits(); k.IsSigned() {
		return int64(v<<shift) >> shift
	}
	return int64(v)
}

// fillHashed decodes everything and keeps the shard's rows.
func (s *Split) fillHashed(ctx context.Context, shard int, out *data.Output) error {
	to := int64(0)
	columns, wants := s.decoded()
	for n, c := range s.src.Chunks() {
		of, err := s.assign(ctx, n)
		if err != nil {
			return err
		}
		dst := s.scratch(columns, c.Rows())
		if _, err := s.src.Fill(ctx, n, wants, dst); err != nil {
			return err
		}
		for row, h := range of {
			if h != shard {
				continue
			}
			if to == out.Rows {
				return fmt.Errorf("%s changed while it was read", s.src.Path())
			}
			for i := range dst {
				s.move(s.rows(out, i, to, to+1), dst[i], i, int64(row), int64(row)+1)
			}
			to++
		}
	}
	if to != out.Rows {
		return fmt.Errorf("%s changed while it was read", s.src.Path())
	}
	return nil
}

// rows is the place of rows lo..hi of a column of out.
func (s *Split) rows(out *data.Output, i int, lo, hi int64) data.Dest {
	c, w := &out.Columns[i], s.width(i)
	d := data.Dest{Values: c.Values[lo*w : hi*w]}
	if c.Valid != nil {
		d.Valid = c.Valid[lo:hi]
	}
	return d
}

// move copies rows lo..hi of a chunk.
func (s *Split) move(to, from data.Dest, i int, lo, hi int64) {
	w := s.width(i)
	copy(to.Values, from.Values[lo*w:hi*w])
	if from.Valid != nil {
		copy(to.Valid, from.Valid[lo:hi])
	}
}
