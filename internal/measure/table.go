package measure

import (
	"context"
	"fmt"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/generate"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// The programs of the table benchmark: means of the delays over a quarter of
// an hour, by hundreds of miles and of all.
const (
	groupSource = `
record Flight { delay: i16, distance: i16 }
fn f(f: &[Flight; N] @ Disk) -> [f64; 32] @ RAM where N: Range<0, 10_000_000_000> {
    f.filter(|r| r.delay > 15).group_by::<32>(|r| (r.distance / 100).clamp(0, 31)).mean(|r| r.delay as f64)
}`
	meanSource = `
record Flight { delay: i16, distance: i16 }
fn f(f: &[Flight; N] @ Disk) -> f64 @ RAM where N: Range<0, 10_000_000_000> {
    f.filter(|r| r.delay > 15).mean(|r| r.delay as f64)
}`
)

// tables is the table benchmark with its inputs.
type tables struct {
	*session
	rt      *godwit.Runtime
	parquet string
	arrow   string
	rows    int64
}

func table(ctx context.Context, s *session) error {
	rt, err := s.runtime(ctx)
	if err != nil {
		return err
	}
	defer rt.Close()
	b := &tables{session: s, rt: rt, parquet: s.path("flights.parquet"), arrow: s.path("flights.arrow"), rows: 3_000_000}
	if s.opt.Quick {
		b.rows = 1_000_000
	}
	s.progress("generating %d flights", b.rows)
	if err := generate.Flights(ctx, b.parquet, b.rows, 1); err != nil {
		return err
	}
	if err := b.toArrow(ctx); err != nil {
		return err
	}
	for _, t := range s.threads() {
		for _, q := range []struct {
			name, source string
			read         func(*godwit.Result) ([]float64, error)
		}{{"group-by mean", groupSource, numbers}, {"mean", meanSource, number}} {
			if err := b.parquetRow(ctx, q.name, q.source, t, q.read); err != nil {
				return err
			}
		}
		if err := b.arrowRow(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (b *tables) parquetRow(ctx context.Context, name, source string, threads int, read func(*godwit.Result) ([]float64, error)) error {
	f, err := function(source)
	if err != nil {
		return err
	}
	c := Contest{Name: fmt.Sprintf("%s, Parquet, %s", name, count(threads)), Against: "arrow-go, a loop in Go", Unit: "ms", Tolerance: 1e-9}
	args := godwit.Args{"f": godwit.File(b.parquet)}
	if c.Limit, err = b.leastRead(ctx, f, args, b.parquet, threads); err != nil {
		return err
	}
	c.Ours = Call(f, args, read, godwit.WithRuntime(b.rt), godwit.WithThreads(threads))
	c.Reference = arrowGo(b.parquet, threads, name == "group-by mean")
	return b.hold(ctx, c)
}

// arrowRow compares the group-by over uncompressed columns with C, which
// finds them at the same places of the same file.
func (b *tables) arrowRow(ctx context.Context, threads int) error {
	f, err := function(groupSource)
	if err != nil {
		return err
	}
	var in [2]region
	for i, name := range []string{"delay", "distance"} {
		if in[i], err = column(b.arrow, name); err != nil {
			return err
		}
	}
	c := Contest{Name: "group-by mean, Arrow, " + count(threads), Unit: "ms", Tolerance: 1e-9}
	args := godwit.Args{"f": godwit.File(b.arrow)}
	if c.Limit, err = b.leastRead(ctx, f, args, b.arrow, threads); err != nil {
		return err
	}
	c.Ours = Call(f, args, numbers, godwit.WithRuntime(b.rt), godwit.WithThreads(threads))
	if b.peer != nil {
		for i, r := range in {
			if err := b.peer.file(i, r); err != nil {
				return err
			}
		}
		best, err := b.peer.best(forms("group"), threads, b.rows, nil)
		if err != nil {
			return err
		}
		c.Against, c.Reference = "C "+best.op+" "+best.how, b.peer.runner(best, threads, b.rows)
	}
	return b.hold(ctx, c)
}

// toArrow writes the two columns as i16 to an Arrow file.
func (b *tables) toArrow(ctx context.Context) error {
	src, err := data.Open(b.parquet)
	if err != nil {
		return err
	}
	defer src.Close()
	out := &data.Output{Rows: src.Rows()}
	var wants []data.Want
	for i, c := range src.Columns() {
		wants = append(wants, data.Want{Column: i, Kind: num.I16})
		out.Columns = append(out.Columns, data.OutColumn{Name: c.Name, Kind: num.I16, Values: make([]byte, 2*src.Rows())})
	}
	for i, chunk := range src.Chunks() {
		var dst []data.Dest
		for j := range wants {
			dst = append(dst, data.Dest{Values: out.Columns[j].Values[2*chunk.Lo : 2*chunk.Hi]})
		}
		if _, err := src.Fill(ctx, i, wants, dst); err != nil {
			return err
		}
	}
	return data.Write(b.arrow, out)
}

// groups are the sums and counts of the reference in Go.
type groups struct {
	sums, counts [33]int64 // the last is for what the filter drops
}

func (g *groups) add(delay, distance int64) {
	k := min(max(distance/100, 0), 31)
	if delay <= 15 {
		k = 32
	}
	g.sums[k] += delay
	g.counts[k]++
}

func (g *groups) merge(other *groups) {
	for k := range g.sums {
		g.sums[k] += other.sums[k]
		g.counts[k] += other.counts[k]
	}
}

// means is the result of either program.
func (g *groups) means(byKey bool) []float64 {
	var out []float64
	var sum, n int64
	for k := range 32 {
		out = append(out, float64(g.sums[k])/float64(g.counts[k]))
		sum, n = sum+g.sums[k], n+g.counts[k]
	}
	if byKey {
		return out
	}
	return []float64{float64(sum) / float64(n)}
}
