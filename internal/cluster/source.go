package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// chunkBytes is about how much of a data set is fetched at a time: enough to
// make the round trip cheap, little enough to have several on the way.
const chunkBytes = 2 << 20

// maxChunks is about into how many chunks a set is cut at most: larger sets have larger ones,
// of which a node may refuse to send any. So opening a set takes moments, whatever its
// record says.
const maxChunks = 1 << 18

// source reads a data set's rows from its nodes. Rows are those of the set from row
// first on.
type source struct {
	c      *Cluster
	set    *catalog.Set
	cols   []data.Column
	chunks []data.Chunk
	of     []int // shard of each chunk
	ahead  ahead
}

// ErrNoSet says that the cluster has no data set of a name: errors.Is finds it in a NoSetError.
var ErrNoSet = errors.New("no such data set")

// NoSetError is a name that no data set has, and what may have been meant.
type NoSetError struct{ Text, Help string }

func (e *NoSetError) Error() string { return e.Text }

// Is implements errors.Is for ErrNoSet.
func (e *NoSetError) Is(target error) bool { return target == ErrNoSet }

// Open gives a data set as a table. Its rows are fetched from the nodes as they
// are needed.
func (c *Cluster) Open(name string) (data.Source, error) {
	set, err := c.named(name)
	if err != nil {
		return nil, err
	}
	return c.sourceOf(set), nil
}

// sourceOf is the table of a set.
func (c *Cluster) sourceOf(set *catalog.Set) *source {
	s := &source{c: c, set: set}
	width := int64(1)
	for _, col := range set.Columns {
		dc := data.Column{Name: col.Name, Kind: col.Kind, Stored: col.Stored, Dims: col.Dims, Nullable: col.Nullable, Means: col.Means, Unknown: col.Unknown, Blank: col.Blank}
		s.cols = append(s.cols, dc)
		if col.Kind != num.Invalid {
			width = max(width, dc.Width()*int64(col.Kind.Size()))
		}
	}
	rows := max(1, chunkBytes/width, set.Rows/maxChunks)
	for i, sh := range set.Shards {
		for lo := sh.Lo; lo < sh.Hi; {
			hi := lo + min(rows, sh.Hi-lo)
			s.chunks = append(s.chunks, data.Chunk{Lo: lo, Hi: hi})
			s.of = append(s.of, i)
			lo = hi
		}
	}
	return s
}

// maxNamed is how many data sets an error names.
const maxNamed = 20

func (c *Cluster) noSet(name string) error {
	var names, shown []string
	v := c.View()
	for i := range v.Sets {
		if s := &v.Sets[i]; !catalog.IsCompanionName(s.Name) { // whose set may have gone a moment ago
			names = append(names, s.Name)
		}
	}
	for _, n := range names[:min(len(names), maxNamed)] {
		shown = append(shown, "@"+n)
	}
	if more := len(names) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	e := &NoSetError{Text: fmt.Sprintf("the cluster has no data set @%s; it has %s", name, strings.Join(shown, ", "))}
	if len(names) == 0 {
		e.Text, e.Help = fmt.Sprintf("the cluster has no data set @%s, nor any other", name), "load one with `godwit load`"
	} else if near := diag.Nearest(name, names); near != "" {
		e.Help = "did you mean `@" + near + "`?"
	}
	return e
}

// RemoteSet implements run.Remote.
func (s *source) RemoteSet() (uint32, int64) { return s.set.ID, 0 }

// OnNode implements compile.Sited.
func (s *source) OnNode(number int64) error {
	for i, sh := range s.set.Shards {
		if on := sh.Everyone(); !slices.Contains(on, catalog.Peer(number)) {
			return fmt.Errorf("shard %d of @%s is on nodes %v", i, s.set.Name, on)
		}
	}
	return nil
}

// InFar implements compile.Sited.
func (s *source) InFar() error {
	if s.set.Far {
		return nil
	}
	return fmt.Errorf("@%s lies on nodes that are no far memory", s.set.Name)
}

func (s *source) Path() string             { return "@" + s.set.Name }
func (s *source) Format() string           { return "data set" }
func (s *source) Rows() int64              { return s.set.Rows }
func (s *source) Columns() []data.Column   { return s.cols }
func (s *source) Chunks() []data.Chunk     { return s.chunks }
func (s *source) Raw(int) (data.Raw, bool) { return data.Raw{}, false }
func (s *source) Prune([]data.Pred) []bool { return nil }
func (s *source) Unchanged() error         { return nil } // shards are never written again
func (s *source) Close() error             { return nil }
func (s *source) FillPruned(int, []data.Pred, []data.Want, []data.Dest) error {
	return errors.New("a data set prunes nothing")
}

// Fill fetches the columns of a chunk, in pieces of which several are under way, or reads them where they lie, and converts them as those of
// any table in memory.
func (s *source) Fill(ctx context.Context, chunk int, wants []data.Want, dst []data.Dest) (read int64, err error) {
	w := s.begun(ctx, chunk, wants)
	defer s.drop(w)                       // what an error leaves
	failed, bad := len(wants), error(nil) // the first of the wants that cannot be met, and why
	near := w.asked == 0
	for i := range w.list {
		e := &w.list[i]
		wanted := slices.ContainsFunc(wants[:failed], func(w data.Want) bool { return w.Column == e.column })
		var a *parcel.Answer
		if near && wanted {
			if at := s.asStored(e, wants[:failed]); at >= 0 {
				to := partOf(dst[at], s.within(e, chunk), s.chunks[chunk].Rows())
				if near = s.c.nearInto(ctx, s.set, s.of[chunk], s.gather(e), to.Values, nil); near {
					w.asked = i + 1
					read += int64(len(to.Values))
					s.c.noteNear(nearKey{s.set.ID, s.of[chunk]}, int64(len(to.Values)))
					continue
				}
			} else {
				a, near = s.c.readNear(ctx, s.set, s.of[chunk], s.gather(e), s.rowBytes(e.column))
			}
		}
		if near {
			w.asked = i + 1
		}
		for !near && w.asked < min(i+mostPieces, len(w.list)) {
			s.ask(w)
		}
		if !wanted {
			continue
		}
		if !near {
			if a, err = s.c.await(ctx, e.got); err != nil {
				return read, s.c.outdated(ctx, err, s.set.ID, s.set.Name)
			}
		}
		n, k, err := s.place(ctx, e, a, chunk, wants[:failed], dst)
		a.Loan.Back()
		s.over(e)
		s.pump()
		if near {
			s.c.noteNear(nearKey{s.set.ID, s.of[chunk]}, n)
		}
		if read += n; err != nil {
			failed, bad = k, err
		}
		if failed == 0 {
			break
		}
	}
	return read, bad
}

// asStored gives the only want of an excerpt's column, if it is for numbers as they are stored, all of which are there and may be any; else -1.
func (s *source) asStored(e *excerpt, wants []data.Want) int {
	at := -1
	for i, w := range wants {
		switch {
		case w.Column != e.column:
		case at >= 0:
			return -1
		default:
			at = i
		}
	}
	c, w := &s.cols[e.column], &wants[at]
	if c.Nullable || c.Means.Sort != meaning.None || c.Kind == num.Bool || w.Kind != c.Kind || w.Option || w.Blanks != data.NotBlank || w.Bound > 0 || w.Means.Sort != meaning.None {
		return -1
	}
	return at
}

// within says which of a chunk's rows an excerpt has.
func (s *source) within(e *excerpt, chunk int) data.Chunk {
	first := s.chunks[chunk].Lo
	return data.Chunk{Lo: e.rows.Lo - first, Hi: e.rows.Hi - first}
}

// rowBytes is how many bytes a row of a column has.
func (s *source) rowBytes(column int) int64 {
	c := &s.cols[column]
	return c.Width() * int64(c.Kind.Size())
}

// place converts what came into the places of those who want that column, and gives the first of them that it is not for. The
// answer's columns are not looked at afterwards.
func (s *source) place(ctx context.Context, e *excerpt, a *parcel.Answer, chunk int, wants []data.Want, dst []data.Dest) (read int64, failed int, err error) {
	if len(a.Columns) != 1 && len(a.Columns) != 2 {
		return 0, 0, fmt.Errorf("@%s: the answer has %d columns, expected 1 or 2", s.set.Name, len(a.Columns))
	}
	col := s.cols[e.column]
	if col.Means.Sort == meaning.Text {
		col.Means = meaning.Meaning{} // numbers of entries are asked for as numbers
	}
	values, valid := a.Columns[0], []byte(nil)
	if len(a.Columns) == 2 {
		valid = a.Columns[1]
	}
	table := data.FromBytes(s.Path(), []data.Column{col}, e.rows.Rows(), [][]byte{values}, [][]byte{valid})
	for i, w := range wants {
		if w.Column != e.column {
			continue
		}
		w.Column = 0
		if err := data.Check(table, []data.Want{w}); err != nil { // of as many rows as were asked for, too
			return 0, i, err
		}
		to := partOf(dst[i], s.within(e, chunk), s.chunks[chunk].Rows())
		for j, part := range table.Chunks() { // of so many rows as memory has them in, where elements are short
			_, err := table.Fill(ctx, j, []data.Want{w}, []data.Dest{partOf(to, part, e.rows.Rows())})
			if at := (*data.Error)(nil); errors.As(err, &at) && at.Row >= 0 {
				moved := *at
				moved.Row += e.rows.Lo
				err = &moved
			}
			if err != nil {
				return int64(len(a.Columns[0])), i, err
			}
		}
	}
	return int64(len(a.Columns[0])), len(wants), nil
}

// partOf is the place of a part in a destination of so many rows.
func partOf(d data.Dest, part data.Chunk, rows int64) data.Dest {
	row := int64(len(d.Values)) / rows
	out := data.Dest{Values: d.Values[part.Lo*row : part.Hi*row]}
	if d.Valid != nil {
		out.Valid = d.Valid[part.Lo:part.Hi]
	}
	return out
}

// fetch asks the owner of a shard for rows.
func (c *Cluster) fetch(ctx context.Context, set *catalog.Set, shard int, g *parcel.Gather) (caller.ID, *future) {
	f := newFuture()
	id := c.calls.Begin(f.set, func(id caller.ID) caller.Input {
		return &caller.Ask{ID: id, Kind: parcel.Read, Payload: g.Append(nil), Set: set.ID, Shard: shard, Left: c.left(ctx)}
	})
	return id, f
}

// await waits for an answer. An operation that nobody waits for ends at
// its deadline, or with the connection.
func (c *Cluster) await(ctx context.Context, f *future) (*parcel.Answer, error) {
	if _, ok := receive(ctx, f.ready); !ok {
		return nil, context.Cause(ctx)
	}
	return f.d.Answer, c.checked(ctx, f.d.Err)
}
