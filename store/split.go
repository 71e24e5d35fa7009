package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/godwit-run/godwit/catalog"
	"github.com/godwit-run/godwit/data"
	"github.com/godwit-run/godwit/num"
)

// Split is a table that is to be stored as shards. Read one after the other,
// the shards have exactly the rows of the table: in its own order, or, for
// "hash(column)", those of shard 0 first and within a shard in the table's
// order. The latter then is the order of the set's rows.
type Split struct {
	Columns []catalog.Column // as they are stored
	Left    []string         // columns that are left out: Godwit cannot compute with them
	Rows    int64
	By      string
	Shards  []Range // rows of the set

	src  data.Source
	from []int // column of the source, for each of Columns
	key  int   // column of the source by which rows are hashed; -1 for none
}

// NewSplit plans the shards of src by "blocks" (or ""), "rows" or "hash(column)". To plan by
// hash reads the column once, and each shard reads the whole source again.
func NewSplit(ctx context.Context, src data.Source, shards int, by string) (*Split, error) {
	if by == "" {
		by = ByBlocks
	}
	s := &Split{src: src, Rows: src.Rows(), By: by, key: -1}
	for i, c := range src.Columns() {
		if !c.Kind.Valid() {
			s.Left = append(s.Left, c.Name)
			continue
		}
		name := c.Name
		if name == "" {
			name = data.Unnamed
		}
		s.from = append(s.from, i)
		s.Columns = append(s.Columns, catalog.Column{Name: name, Kind: c.Kind, Stored: c.Stored, Dims: c.Dims, Nullable: c.Nullable})
	}
	if len(s.Columns) == 0 {
		return nil, fmt.Errorf("%s has no column that can be stored: Godwit computes with numbers and bools only", src.Path())
	}
	var err error
	if name, ok := hashColumn(by); ok {
		err = s.planHash(ctx, name, shards)
	} else {
		s.Shards, err = Cuts(s.Rows, shards, by)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
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
		return fmt.Errorf("rows cannot be assigned to shards by column `%s` of %s: integers were expected, found %s", name, s.src.Path(), c.Type())
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
		of[i] = ShardOf(integer(d.Values[i*k.Size():], k), len(s.Shards))
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

// Part is the file of one shard, in the file system without a name, or in memory. Its
// bytes depend on nothing but the rows.
type Part struct {
	Range // rows of the set
	Bytes int64
	Sum   [32]byte
	f     *os.File
}

// ReadAt reads bytes of the file.
func (p *Part) ReadAt(b []byte, offset int64) (int, error) { return p.f.ReadAt(b, offset) }

// Close gives the file's space back.
func (p *Part) Close() error { return p.f.Close() }

// Part writes the file of a shard into dir, which must have room for about twice
// its size for a while. What does not fit into a small buffer never lies in memory
// other than as pages of files.
func (s *Split) Part(ctx context.Context, shard int, dir string) (*Part, error) {
	if shard < 0 || shard >= len(s.Shards) {
		return nil, fmt.Errorf("there is no shard %d among %d", shard, len(s.Shards))
	}
	r := s.Shards[shard]
	out := &data.Output{Rows: r.Hi - r.Lo}
	room, err := s.layout(dir, out)
	if err != nil {
		return nil, err
	}
	defer room.free()
	if s.key < 0 {
		err = s.fillRange(ctx, r, out)
	} else {
		err = s.fillHashed(ctx, shard, out)
	}
	if err != nil {
		return nil, err
	}
	f, err := nameless(dir)
	if err != nil {
		return nil, err
	}
	p := &Part{Range: r, f: f}
	h := sha256.New()
	if err := data.WriteArrow(s.src.Path(), io.MultiWriter(f, h), out); err != nil {
		return nil, errors.Join(full(dir, err, room.size()), f.Close())
	}
	p.Sum = [32]byte(h.Sum(nil))
	p.Bytes, err = f.Seek(0, io.SeekCurrent)
	return p, err
}

// layout makes room for the columns of out.
func (s *Split) layout(dir string, out *data.Output) (*room, error) {
	const align = 64
	total := int64(0)
	take := func(per int64) (at int64, err error) {
		if per > 0 && out.Rows > (math.MaxInt64-align-total)/per {
			return 0, fmt.Errorf("%s is too large: %d rows of %d bytes", s.src.Path(), out.Rows, per)
		}
		at = total
		total += (out.Rows*per + align - 1) / align * align
		return at, nil
	}
	values, valid := make([]int64, len(s.from)), make([]int64, len(s.from))
	var err, e error
	for i, c := range s.Columns {
		values[i], e = take(s.width(i))
		err = errors.Join(err, e)
		if c.Nullable {
			valid[i], e = take(1)
			err = errors.Join(err, e)
		}
	}
	if err != nil {
		return nil, err
	}
	room, err := newRoom(dir, total)
	if err != nil {
		return nil, err
	}
	for i, c := range s.Columns {
		o := data.OutColumn{Name: c.Name, Kind: c.Kind, Dims: c.Dims, Values: room.b[values[i]:][:out.Rows*s.width(i)]}
		if c.Nullable {
			o.Valid = room.b[valid[i]:][:out.Rows]
		}
		out.Columns = append(out.Columns, o)
	}
	return room, nil
}

// width is the bytes in a row of a column.
func (s *Split) width(i int) int64 {
	return s.src.Columns()[s.from[i]].Width() * int64(s.Columns[i].Kind.Size())
}

func (s *Split) wants() []data.Want {
	out := make([]data.Want, len(s.from))
	for i, c := range s.Columns {
		out[i] = data.Want{Column: s.from[i], Kind: c.Kind, Option: c.Nullable}
	}
	return out
}

// scratch is room for a whole chunk.
func (s *Split) scratch(rows int64) []data.Dest {
	out := make([]data.Dest, len(s.from))
	for i, c := range s.Columns {
		out[i].Values = make([]byte, rows*s.width(i))
		if c.Nullable {
			out[i].Valid = make([]byte, rows)
		}
	}
	return out
}

// fillRange decodes rows r of the source: whole chunks straight to their place.
func (s *Split) fillRange(ctx context.Context, r Range, out *data.Output) error {
	for n, c := range s.src.Chunks() {
		lo, hi := max(c.Lo, r.Lo), min(c.Hi, r.Hi)
		if lo >= hi {
			continue
		}
		place := make([]data.Dest, len(s.from))
		for i := range place {
			place[i] = s.rows(out, i, lo-r.Lo, hi-r.Lo)
		}
		dst := place
		if lo > c.Lo || hi < c.Hi {
			dst = s.scratch(c.Rows())
		}
		if _, err := s.src.Fill(ctx, n, s.wants(), dst); err != nil {
			return err
		}
		if lo > c.Lo || hi < c.Hi {
			for i := range dst {
				s.move(place[i], dst[i], i, lo-c.Lo, hi-c.Lo)
			}
		}
	}
	return nil
}

// fillHashed decodes everything and keeps the shard's rows.
func (s *Split) fillHashed(ctx context.Context, shard int, out *data.Output) error {
	to := int64(0)
	for n, c := range s.src.Chunks() {
		of, err := s.assign(ctx, n)
		if err != nil {
			return err
		}
		dst := s.scratch(c.Rows())
		if _, err := s.src.Fill(ctx, n, s.wants(), dst); err != nil {
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
