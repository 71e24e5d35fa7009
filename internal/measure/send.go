package measure

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/packages/cc"
	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

// sendSource is a package that nobody has seen before: its constant is new. It
// increments a number at the target.
const sendSource = `#include "godwit.h"
void bump_main(void *payload, size_t size, void *target_args)
{
	size_t room;
	uint64_t *counter = gw_region("counter", &room);
	if (size != sizeof *counter || room < sizeof *counter)
		return;
	uint64_t now = __atomic_add_fetch(counter, *(uint64_t *)payload + %d, __ATOMIC_RELAXED);
	gw_reply(&now, sizeof now);
}
`

// published is the only such figure that there is in print. It stands beside ours
// without a ratio: it is of another machine, and of compiling alone.
const (
	published     = Number(4.50) // ms
	publishedName = "published, not measured here: JIT compilation of bitcode, Three-Chains on BlueField-2"
)

// send measures the first call of a package that the node has never seen, in each of
// the forms that a package can have, and a call of one that it has.
func send(ctx context.Context, s *session) error {
	if !cc.Found() {
		s.note("SKIPPED: clang-19, which makes packages, is not installed (Debian: clang-19).")
		return nil
	}
	list := []pack.Form{pack.Source, pack.Bitcode, pack.Optimised, pack.Object}
	if err := s.compiles(ctx); errors.Is(err, codegen.ErrMissing) {
		s.note("SKIPPED: bitcode: libLLVM 19 is not installed (Debian: libllvm19).")
		list = []pack.Form{pack.Source, pack.Object}
	} else if err != nil {
		return err
	}
	f, err := s.startFleet(ctx, 1, "--native")
	if err != nil {
		return err
	}
	defer f.close()
	p := &newPackages{c: f.c, path: s.path("bump.c")}
	if err := p.sign(ctx); err != nil {
		return err
	}
	var all []*sentForm
	for _, form := range list {
		all = append(all, &sentForm{form: form})
	}
	for i := range settled + 4*s.pairs() {
		s.progress("new packages, round %d", i+1)
		for _, form := range all {
			if err := p.first(ctx, form, i >= settled); err != nil {
				return fmt.Errorf("%s: %w", form.form, err)
			}
		}
	}
	for _, form := range all {
		s.report.Rows = append(s.report.Rows, form.rows()...)
	}
	s.note("A first call has the package travel; the node checks its signature and links it in a worker (link), after compiling it. Not shown: waiting at the node.")
	return s.sendAgain(ctx, f, p)
}

// compiles says whether nodes started here can compile bitcode.
func (s *session) compiles(ctx context.Context) error {
	service := codegen.New(codegen.Options{Program: []string{s.opt.Program, "codegen-child"}})
	_, err := service.Info(ctx)
	return errors.Join(err, service.Close())
}

// sendAgain measures calls of the package that was sent last.
func (s *session) sendAgain(ctx context.Context, f *fleet, p *newPackages) error {
	bare, err := f.bare()
	if err != nil {
		return err
	}
	defer bare.Close()
	var replies []*cluster.Reply
	err = s.holdMany(ctx, Contest{
		Name: "cached: call", Unit: "ms", Against: "bare gRPC round trip, mTLS",
		Ours: func(ctx context.Context) (time.Duration, []float64, error) {
			r, err := p.call(ctx)
			if err != nil {
				return 0, nil, err
			}
			if r.CodeBytes != 0 {
				return 0, nil, fmt.Errorf("%d bytes of code travelled", r.CodeBytes)
			}
			replies = append(replies, r)
			return r.Took, nil, nil
		},
		Reference: func(context.Context) (time.Duration, []float64, error) {
			start := time.Now()
			_, err := bare.RoundTrip(make([]byte, 64))
			return time.Since(start), nil, err
		},
	})
	if err == nil {
		s.report.Rows = append(s.report.Rows, parts("cached", replies[settled:])...)
	}
	return err
}

// newPackages makes packages that are new each time.
type newPackages struct {
	c     *cluster.Cluster
	path  string // of the C file
	key   ed25519.PrivateKey
	count uint64 // the constant of the last package
	last  []byte // its bytes
	total uint64 // what the node's counter must be
}

// sign makes a key and has the node trust it.
func (p *newPackages) sign(ctx context.Context) error {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return err
	}
	p.key = private
	_, err = p.c.Trust(ctx, func(l trust.List) (trust.List, error) { return l.Add("bench", public) })
	return err
}

// build makes the next package, with a section for this machine only, and gives the
// size of that.
func (p *newPackages) build(ctx context.Context, form pack.Form) (section int, err error) {
	p.count++
	if err := os.WriteFile(p.path, fmt.Appendf(nil, sendSource, p.count), 0o666); err != nil {
		return 0, err
	}
	b, err := cc.Build(ctx, cc.Options{Name: "bump", Sources: []string{p.path}, Targets: []cc.Target{{Arch: runtime.GOARCH}}, Form: form})
	if err != nil {
		return 0, err
	}
	if err := b.Package.Sign(p.key); err != nil {
		return 0, err
	}
	p.last, err = pack.Encode(b.Package)
	return len(b.Package.Sections[0].Bytes), err
}

// call runs the last package and checks the reply.
func (p *newPackages) call(ctx context.Context) (*cluster.Reply, error) {
	const by = 1000
	r, err := p.c.Send(ctx, p.last, "any", binary.LittleEndian.AppendUint64(nil, by),
		cluster.SendOptions{Grants: []cluster.Grant{{Name: "counter", Bytes: 8, Write: true}}})
	if err != nil {
		return nil, err
	}
	p.total += by + p.count
	if want := binary.LittleEndian.AppendUint64(nil, p.total); !bytes.Equal(r.Bytes, want) {
		return nil, fmt.Errorf("the counter is %x, expected %x", r.Bytes, want)
	}
	return r, nil
}

// first sends a new package.
func (p *newPackages) first(ctx context.Context, f *sentForm, counts bool) error {
	section, err := p.build(ctx, f.form)
	if err != nil {
		return err
	}
	time.Sleep(settling)
	r, err := p.call(ctx)
	if err != nil {
		return err
	}
	if r.CodeBytes < int64(len(p.last)) {
		return fmt.Errorf("%d bytes of code travelled of a new package of %d bytes", r.CodeBytes, len(p.last))
	}
	if counts {
		f.section, f.bytes, f.replies = section, len(p.last), append(f.replies, r)
	}
	return nil
}

// sentForm is what came of all packages of a form.
type sentForm struct {
	form           pack.Form
	section, bytes int // of the last one
	replies        []*cluster.Reply
}

// rows are sizes, the time of a first call, and what it consists of.
func (f *sentForm) rows() []Row {
	name, n := f.form.String(), len(f.replies)
	call := found(name+": first call", "ms", middle(f.replies, func(r *cluster.Reply) int64 { return r.Took.Microseconds() }), n)
	call.Reference, call.ReferenceName = published, publishedName
	return append([]Row{
		found(name+": package", "B", Number(f.bytes), n),
		found(name+": "+runtime.GOARCH+" section", "B", Number(f.section), n),
		call,
	}, parts(name, f.replies)...)
}

// found is a row without anything beside it.
func found(name, unit string, ours Number, n int) Row {
	return Row{Name: name, Unit: unit, Ours: ours, N: n,
		Reference: unknown, Ratio: unknown, RatioMin: unknown, RatioMax: unknown, Limit: unknown, OfLimit: unknown}
}

// middle is the median of microseconds, in milliseconds.
func middle(replies []*cluster.Reply, of func(*cluster.Reply) int64) Number {
	var list []float64
	for _, r := range replies {
		list = append(list, float64(of(r)))
	}
	return Number(median(list) / 1e3)
}

// parts are what calls consist of. What takes no time is left out: an object need not
// be compiled.
func parts(name string, replies []*cluster.Reply) (rows []Row) {
	for _, part := range []struct {
		name string
		of   func(*cluster.Reply) int64
	}{
		{"transmit", func(r *cluster.Reply) int64 {
			t := r.Timing
			return r.Took.Microseconds() - int64(t.Queue) - int64(t.Verify) - int64(t.Compile) - int64(t.Run)
		}},
		{"compile", func(r *cluster.Reply) int64 { return int64(r.Timing.Compile) }},
		{"link", func(r *cluster.Reply) int64 { return int64(r.Timing.Verify) }},
		{"run", func(r *cluster.Reply) int64 { return int64(r.Timing.Run) }},
	} {
		if n := middle(replies, part.of); n > 0 {
			rows = append(rows, found(name+": of it "+part.name, "ms", n, len(replies)))
		}
	}
	return rows
}
