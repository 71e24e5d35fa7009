package cluster_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/loan"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/cluster/transport"
	"github.com/godwit-run/godwit/internal/cluster/transport/stream"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// streets has nodes and a client talk over real connections: it knows where the nodes of Locals listen, whose addresses are names.
type streets struct {
	authority *identity.Authority
	rings     bool
	near      bool // the client reads files of nodes where they lie
	mu        sync.Mutex
	at        map[string]string
}

// mapped is a transport that looks addresses up.
type mapped struct {
	*stream.Transport
	s *streets
}

func (m *mapped) Know(addresses map[catalog.Peer]string) {
	m.s.mu.Lock()
	there := map[catalog.Peer]string{}
	for p, name := range addresses {
		there[p] = m.s.at[name]
	}
	m.s.mu.Unlock()
	m.Transport.Know(there)
}

func (s *streets) issue(role identity.Role, name string) (*identity.Identity, error) {
	return s.authority.Issue(role, name, time.Hour, "localhost", "127.0.0.1")
}

// node has a node of Locals listen.
func (s *streets) node(cfg *daemon.Config) {
	name := cfg.Name
	cfg.Dial = func(self catalog.Peer, _ func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
		id, err := s.issue(identity.Node, name)
		if err != nil {
			return nil, err
		}
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		s.mu.Lock()
		s.at[name] = l.Addr().String()
		s.mu.Unlock()
		t, err := stream.New(stream.Options{Self: self, Identity: id, Listener: l, Rings: s.rings}, h)
		if err != nil {
			return nil, err
		}
		return &mapped{t, s}, nil
	}
}

func (s *streets) client(self catalog.Peer, _ func(catalog.Peer) (string, bool), h transport.Handler) (transport.Transport, error) {
	id, err := s.issue(identity.Client, fmt.Sprintf("c%d", self))
	if err != nil {
		return nil, err
	}
	t, err := stream.New(stream.Options{Self: self, Identity: id, Eager: true, Rings: s.rings}, h)
	if err != nil {
		return nil, err
	}
	if s.near {
		return &mapped{t, s}, nil
	}
	return &apart{&mapped{t, s}}, nil
}

// apart is a transport that tells of no neighbours.
type apart struct{ transport.Lender }

// begin starts nodes, and a client that talks to them.
func (s *streets) begin(t *testing.T, nodes int) *cluster.Cluster {
	t.Helper()
	l, c, err := s.connected(t, nodes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), l.Client.Close(), l.Close()); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return c
}

func (s *streets) connected(t *testing.T, nodes int) (l *site.Locals, c *cluster.Cluster, err error) {
	if s.authority, err = identity.Create(t.TempDir()); err != nil {
		return nil, nil, err
	}
	s.at = map[string]string{}
	if l, err = site.LocalWith(t.Context(), nodes, s.node); err != nil {
		return nil, nil, err
	}
	c, err = cluster.Connect(t.Context(), cluster.Config{Control: l.Control, Self: catalog.FirstClient + 77, Dial: s.client})
	return l, c, err
}

// lentTable is rows of columns that come in all the ways that nodes send them.
func lentTable(rows int) data.Source {
	r := rand.New(rand.NewPCG(1, 2))
	fill := func(size int) []byte {
		b := make([]byte, rows*size)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	bools, valid, small := fill(1), fill(1), fill(8)
	for i := range bools {
		bools[i], valid[i] = bools[i]&1, valid[i]&1
		for j := 1; j < 8; j++ {
			small[8*i+j] = 0
		}
	}
	return data.FromBytes("lent", []data.Column{
		{Name: "a", Kind: num.I64}, {Name: "b", Kind: num.I32, Nullable: true}, {Name: "c", Kind: num.U16}, {Name: "d", Kind: num.Bool}, {Name: "e", Kind: num.I64},
	}, int64(rows), [][]byte{fill(8), fill(4), fill(2), bools, small}, [][]byte{nil, valid, nil, nil, nil})
}

// lentWants are columns as they are stored, wider, and within a bound.
var lentWants = []data.Want{
	{Column: 0, Kind: num.I64}, {Column: 1, Kind: num.I32, Option: true}, {Column: 1, Kind: num.I64, Option: true},
	{Column: 2, Kind: num.U16}, {Column: 2, Kind: num.I64}, {Column: 3, Kind: num.Bool}, {Column: 4, Kind: num.I64, Bound: 256}, {Column: 4, Kind: num.I64},
}

// destsOf is room for rows of wants, full of something else.
func destsOf(src data.Source, rows int64, wants []data.Want) (dst []data.Dest) {
	for _, w := range wants {
		d := data.Dest{Values: bytes.Repeat([]byte{0xaa}, int(rows)*w.Kind.Size())}
		if w.Option {
			d.Valid = bytes.Repeat([]byte{0xaa}, int(rows))
		}
		dst = append(dst, d)
	}
	return dst
}

// Many read different columns at the same time, some of whom give up: what others read is what was stored, though memory that was
// given back is overwritten at once, and nothing is left of the credit that they took.
func TestLentMemory(t *testing.T) {
	loan.Spoil()
	const rows = 700_000
	local := lentTable(rows)
	want := destsOf(local, rows, lentWants)
	for i, c := range local.Chunks() {
		part := make([]data.Dest, len(want))
		for k, w := range lentWants {
			size := int64(w.Kind.Size())
			if part[k].Values = want[k].Values[c.Lo*size : c.Hi*size]; w.Option {
				part[k].Valid = want[k].Valid[c.Lo:c.Hi]
			}
		}
		if _, err := local.Fill(t.Context(), i, lentWants, part); err != nil {
			t.Fatal(err)
		}
	}
	for name, s := range map[string]*streets{"streams": {}, "rings": {rings: true}, "near": {rings: true, near: true}} {
		t.Run(name, func(t *testing.T) {
			c := s.begin(t, 3)
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if _, err := c.Load(ctx, local, "lent", cluster.LoadOptions{Shards: 3}); err != nil {
				t.Fatal(err)
			}
			readers, turns := 6, 12
			if testing.Short() {
				turns = 4
			}
			var whole, ended atomic.Int64
			var all sync.WaitGroup
			for n := range readers {
				all.Go(func() {
					r := rand.New(rand.NewPCG(uint64(n), 7))
					for range turns {
						done, err := lentTurn(ctx, c, r, want)
						if err != nil {
							t.Error(err)
							return
						}
						if done {
							whole.Add(1)
						} else {
							ended.Add(1)
						}
					}
				})
			}
			all.Wait()
			if n := c.Near(); (n == 3) != s.near {
				t.Errorf("%d files of nodes are read where they lie, of 3", n)
			}
			if whole.Load() == 0 || ended.Load() == 0 {
				t.Errorf("%d readers came to the end, %d gave up: expected some of both", whole.Load(), ended.Load())
			}
			for until := time.Now().Add(patience); c.Credit() != cluster.MostCredit; time.Sleep(time.Millisecond) {
				if time.Now().After(until) {
					t.Fatalf("%d of %d bytes of credit are left when nobody reads", c.Credit(), cluster.MostCredit)
				}
			}
		})
	}
}

// lentTurn reads chunks of some columns in order, perhaps not to the end, and reports whether it was to the end.
func lentTurn(ctx context.Context, c *cluster.Cluster, r *rand.Rand, want []data.Dest) (bool, error) {
	src, err := c.Open("lent")
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	gives := r.IntN(2) == 0
	if gives {
		time.AfterFunc(time.Duration(r.IntN(20_000))*time.Microsecond, cancel)
	}
	var picked []int
	for i := range lentWants {
		if r.IntN(3) == 0 {
			picked = append(picked, i)
		}
	}
	wants := make([]data.Want, len(picked))
	for k, i := range picked {
		wants[k] = lentWants[i]
	}
	chunks := src.Chunks()
	if ahead, ok := src.(data.Ahead); !ok {
		return false, errors.New("a data set cannot be asked for beforehand")
	} else if r.IntN(4) > 0 {
		for i := range chunks {
			ahead.Soon(ctx, i, wants)
		}
	}
	for i, chunk := range chunks {
		dst := destsOf(src, chunk.Rows(), wants)
		_, err := src.Fill(ctx, i, wants, dst)
		if err != nil && ctx.Err() != nil && gives {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		for k, w := range picked {
			size := int64(lentWants[w].Kind.Size())
			if !bytes.Equal(dst[k].Values, want[w].Values[chunk.Lo*size:chunk.Hi*size]) {
				return false, fmt.Errorf("%+v of rows %d to %d: not the values that were stored", lentWants[w], chunk.Lo, chunk.Hi-1)
			}
			if dst[k].Valid != nil && !bytes.Equal(dst[k].Valid, want[w].Valid[chunk.Lo:chunk.Hi]) {
				return false, fmt.Errorf("%+v of rows %d to %d: other nulls than were stored", lentWants[w], chunk.Lo, chunk.Hi-1)
			}
		}
	}
	return true, nil
}
