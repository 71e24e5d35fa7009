package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"

	"github.com/godwit-run/godwit/internal/data"
)

// In: rows of a table. Out: the bytes of a shard's file, which are written nowhere: a Part
// is the list of where they lie. Columns that are in the source as the shard has them stay
// there, others are decoded once into room.

// Part is the file of one shard. Its bytes depend on nothing but the rows. It is safe for
// concurrent use until Close; the source must be open for as long.
type Part struct {
	Range // rows of the set
	Bytes int64
	Sum   [32]byte
	Nulls []bool // by column of the split: there are some
	pieces
	room *room
}

// Close gives the space back.
func (p *Part) Close() error {
	p.room.free()
	return nil
}

// Part makes the file of a shard. What has to be decoded and does not fit into a small
// buffer lies in a file in dir that has no name. A source that others write to meanwhile
// gives bytes that do not have the sum.
func (s *Split) Part(ctx context.Context, shard int, dir string) (*Part, error) {
	if shard < 0 || shard >= len(s.Shards) {
		return nil, fmt.Errorf("there is no shard %d among %d", shard, len(s.Shards))
	}
	r := s.Shards[shard]
	p := &Part{Range: r, Nulls: make([]bool, len(s.Columns)), room: &room{}}
	out := &data.Output{Rows: r.Hi - r.Lo}
	w := &pieceWriter{}
	defer w.free()
	err := s.layout(dir, r, p, out, w)
	if err == nil && s.key < 0 {
		err = s.fillRange(ctx, r, out)
	} else if err == nil {
		err = s.fillHashed(ctx, shard, out)
	}
	if err == nil {
		err = data.WriteArrow(s.src.Path(), w, out)
	}
	if err == nil {
		p.pieces, p.Bytes = w.pieces, w.at
		p.Sum, err = p.sum(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	for i := range out.Columns {
		p.Nulls[i] = out.Columns[i].HasNulls()
	}
	return p, nil
}

// sum reads the whole file.
func (p *Part) sum(ctx context.Context) (sum [32]byte, err error) {
	h := sha256.New()
	_, err = io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{&untilDone{ctx, io.NewSectionReader(p, 0, p.Bytes)}}, make([]byte, max(1, min(p.Bytes, 1<<20))))
	return [32]byte(h.Sum(nil)), err
}

// untilDone reads until its context ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u *untilDone) Read(b []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(b)
}

// layout gives the columns of out their places: in the source, or in room.
func (s *Split) layout(dir string, r Range, p *Part, out *data.Output, w *pieceWriter) error {
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
		if _, there := s.raw(i); there {
			continue
		}
		values[i], e = take(s.width(i))
		err = errors.Join(err, e)
		if c.Nullable {
			valid[i], e = take(1)
			err = errors.Join(err, e)
		}
	}
	if err != nil {
		return err
	}
	room, err := newRoom(dir, total)
	if err != nil {
		return err
	}
	p.room = room
	w.stays(room.b)
	for i, c := range s.Columns {
		o := data.OutColumn{Name: c.Name, Kind: c.Kind, Dims: c.Dims}
		bytes := out.Rows * s.width(i)
		if raw, there := s.raw(i); there {
			if o.Values, err = w.elsewhere(raw, r.Lo*s.width(i), bytes); err != nil {
				return err
			}
			out.Columns = append(out.Columns, o)
			continue
		}
		o.Values = room.b[values[i]:][:bytes]
		if c.Nullable {
			o.Valid = room.b[valid[i]:][:out.Rows]
		}
		out.Columns = append(out.Columns, o)
	}
	return nil
}

// raw says where the rows of a column lie as the shard has them, if they do.
func (s *Split) raw(i int) (data.Raw, bool) {
	if s.key >= 0 {
		return data.Raw{}, false
	}
	return s.src.Raw(s.from[i])
}

// width is the bytes in a row of a column.
func (s *Split) width(i int) int64 {
	return s.src.Columns()[s.from[i]].Width() * int64(s.Columns[i].Kind.Size())
}

// decoded are the columns that are not taken as they are, with what is wanted of them.
func (s *Split) decoded() (columns []int, wants []data.Want) {
	for i, c := range s.Columns {
		if _, there := s.raw(i); !there {
			columns = append(columns, i)
			wants = append(wants, data.Want{Column: s.from[i], Kind: c.Kind, Option: c.Nullable})
		}
	}
	return columns, wants
}

// scratch is room for whole chunks of columns.
func (s *Split) scratch(columns []int, rows int64) []data.Dest {
	out := make([]data.Dest, len(columns))
	for n, i := range columns {
		out[n].Values = make([]byte, rows*s.width(i))
		if s.Columns[i].Nullable {
			out[n].Valid = make([]byte, rows)
		}
	}
	return out
}

// fillRange decodes rows r of the source, on all processors: whole chunks straight to their place.
func (s *Split) fillRange(ctx context.Context, r Range, out *data.Output) error {
	columns, wants := s.decoded()
	if len(columns) == 0 {
		return nil
	}
	chunks := s.src.Chunks()
	first := sort.Search(len(chunks), func(i int) bool { return chunks[i].Hi > r.Lo })
	end := sort.Search(len(chunks), func(i int) bool { return chunks[i].Lo >= r.Hi })
	return data.Each(ctx, max(0, end-first), func(n int) error {
		n += first
		c := chunks[n]
		lo, hi := max(c.Lo, r.Lo), min(c.Hi, r.Hi)
		place := make([]data.Dest, len(columns))
		for j, i := range columns {
			place[j] = s.rows(out, i, lo-r.Lo, hi-r.Lo)
		}
		dst := place
		if lo > c.Lo || hi < c.Hi {
			dst = s.scratch(columns, c.Rows())
		}
		if _, err := s.src.Fill(ctx, n, wants, dst); err != nil {
			return err
		}
		if lo > c.Lo || hi < c.Hi {
			for j, i := range columns {
				s.move(place[j], dst[j], i, lo-c.Lo, hi-c.Lo)
			}
		}
		return nil
	})
}
