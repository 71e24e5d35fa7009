package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/store"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/pattern"
)

// LoadOptions say how a table becomes a data set.
type LoadOptions struct {
	Shards   int           // as many as there are nodes if 0
	Replicas int           // of each shard; 1 if 0
	By       string        // "blocks" (also if empty), "rows" or "hash(column)"
	Far      bool          // the set goes to far memory: to the nodes that stand for it
	Disks    bool          // it does not, though the set that is replaced lay there
	Skip     []string      // columns that are left out; others must be such that they can be stored
	Replace  bool          // an older data set of the name goes; what is said of neither Shards, Replicas, By nor Far stays as it was
	Append   bool          // the rows are added behind those of the data set of the name, which keeps all that is not said
	Widen    bool          // beside Append: columns whose types do not hold the new rows get types that hold both, and columns that one of them lacks have no value there
	Again    bool          // beside Append: also if the same rows were added before
	Deadline time.Duration // that ends a load of which nothing was stored for so long; StoreDeadline if 0
	// Progress, if set, is told how many rows are done: looked at, if the table is text, and
	// stored. It is called by one goroutine at a time.
	Progress func(done, total int64)
}

// Loaded is what a load has stored.
type Loaded struct {
	*catalog.Set
	Left  []store.Left `json:"left_out"`        // columns
	Notes []string     `json:"notes,omitempty"` // where columns of text have what may be meant as something else
	Kept  []string     `json:"kept,omitempty"`  // of the data set that was replaced, as flags
	More  *More        `json:"more,omitempty"`  // of an append
}

// More is what an append has done.
type More struct {
	Rows  int64 `json:"rows"`
	Known bool  `json:"known,omitempty"` // the set had these rows from an earlier append: nothing was done
}

// Also says, after a semicolon, what a stored column may be declared as beside its type; "" for most.
func Also(c *catalog.Column) string {
	switch {
	case c.Unknown:
		return "; it may be declared as any Option, and is what the first values are that --append adds"
	case c.Blank:
		return "; it may be declared as Str, too: then fields that CSV left empty are the empty text"
	}
	return ""
}

var setName = pattern.Of(`^[A-Za-z_][A-Za-z0-9_.-]{0,63}$`)

// Load stores a table as a data set. It becomes visible when all of it is
// stored; after an error nothing of it is left.
func (c *Cluster) Load(ctx context.Context, src data.Source, name string, opt LoadOptions) (*Loaded, error) {
	if opt.Append {
		return c.add(ctx, src, name, opt)
	}
	loaded, err := c.load(ctx, src, name, opt, false)
	return loaded, c.why(err)
}

// load is Load; a companion has another set's dictionaries.
func (c *Cluster) load(ctx context.Context, src data.Source, name string, opt LoadOptions, companion bool) (*Loaded, error) {
	if !companion && catalog.IsCompanionName(name) {
		return nil, fmt.Errorf("`%s` cannot be the name of a data set: such are those of dictionaries", name)
	}
	var more *catalog.Added
	var was *catalog.Set
	var notes []string
	if opt.Append && !companion {
		both, set, added, err := c.continued(ctx, src, name, &opt)
		if err != nil {
			return nil, err
		}
		if both == nil {
			return &Loaded{Set: set, More: &More{added.Rows, added.Rows > 0}}, nil
		}
		src, was, more, notes, opt.Replace, opt.Skip = both, set, added, append(both.notes, opt.recut(set)...), true, nil
	}
	l, err := c.plan(ctx, src, name, opt)
	if err != nil {
		return nil, err
	}
	if l.set.ID, err = c.cfg.Control.Allocate(ctx); err != nil {
		return nil, err
	}
	if was != nil {
		l.set.After, l.set.Added = was.ID, append(slices.Clone(was.Added[max(0, len(was.Added)-catalog.MostAdded+1):]), *more)
		l.kept = nil
	}
	if err = l.loadTexts(ctx); err == nil {
		err = l.all(ctx)
	}
	if err == nil {
		err = src.Unchanged()
	}
	if err == nil {
		err = l.publish(ctx)
	}
	if err != nil {
		err = l.undo(ctx, err)
	}
	if err != nil {
		return nil, err
	}
	if seen, ok := c.View().Set(l.set.ID); ok {
		l.set = seen // with who says that they hold it
	}
	loaded := &Loaded{Set: l.set, Left: l.split.Left, Notes: append(l.split.Notes, notes...), Kept: l.kept}
	if opt.Widen && was != nil {
		loaded.Notes = append(loaded.Notes, retyped(was, l.set)...)
	}
	if more != nil {
		loaded.More = &More{Rows: more.Rows}
	}
	return loaded, nil
}

// undo removes what was stored, also when ctx has ended, unless the set is in the catalogue: a
// commit may have been done although its answer was lost. If nobody can tell, all stays.
func (l *loading) undo(ctx context.Context, why error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanTime)
	defer cancel()
	v, err := l.c.cfg.Control.View(ctx)
	if err != nil || v.Age != 0 {
		return fmt.Errorf("%w; what was stored stays on the nodes, because the catalogue does not say whether @%s is in it", why, l.set.Name)
	}
	if _, listed := v.Set(l.set.ID); listed {
		l.c.learn(v)
		return nil
	}
	texts, err := l.c.forgetTexts(ctx, l.set)
	err = errors.Join(why, err, l.c.dropShards(ctx, l.set))
	if texts != nil {
		_ = l.c.dropShards(ctx, texts)
	}
	return err
}

// loading is a data set that is being stored.
type loading struct {
	c     *Cluster
	opt   LoadOptions
	set   *catalog.Set
	on    *placement // of its shards
	split *store.Split
	kept  []string // of a data set that is replaced, as flags
	told  progress
	idle  *idle

	buffers sync.Pool // for parts
}

// plan cuts the table and says which nodes get what.
func (c *Cluster) plan(ctx context.Context, src data.Source, name string, opt LoadOptions) (*loading, error) {
	v := c.View()
	old, taken := v.Named(name)
	var kept []string
	if taken && opt.Replace {
		kept = opt.keep(old, shardsFor(src, 1))
	}
	nodes := emptiest(v, opt.Far)
	if opt.Shards == 0 {
		opt.Shards = shardsFor(src, len(nodes))
	}
	if opt.Replicas == 0 {
		opt.Replicas = 1
	}
	cut := store.SplitOptions{Shards: opt.Shards, By: opt.By, Skip: opt.Skip}
	switch {
	case !setName().MatchString(name):
		return nil, fmt.Errorf("`%s` cannot be the name of a data set: use letters, digits, _, - and ., beginning with a letter", name)
	case opt.Shards < 1 || opt.Shards > catalog.MaxShards:
		return nil, fmt.Errorf("%d shards: use 1 to %d", opt.Shards, catalog.MaxShards)
	case opt.Deadline < 0:
		return nil, fmt.Errorf("the deadline of a load is %v: use more than 0, or 0 for %v", opt.Deadline, StoreDeadline)
	}
	if err := cut.Check(src); err != nil { // what another name, or other nodes, would not mend
		return nil, err
	}
	switch {
	case taken && !opt.Replace:
		return nil, fmt.Errorf("there is a data set @%s already; drop it with `godwit drop %s`, replace it with --replace, or choose another name", name, name)
	case len(nodes) == 0 && opt.Far:
		return nil, errors.New("no far memory of the cluster is there, or all of it is drained: start some with `godwit far --size 8GiB`")
	case len(nodes) == 0:
		return nil, errors.New("no node of the cluster is alive, but for far memory, or all are drained")
	case opt.Replicas < 1 || opt.Replicas > len(nodes):
		return nil, fmt.Errorf("%d replicas need as many nodes; %d are alive", opt.Replicas, len(nodes))
	}
	l := &loading{c: c, opt: opt, kept: kept}
	l.told.begin(src, opt.Progress)
	cut.Looked = l.told.looked
	split, err := store.NewSplit(ctx, src, cut)
	if err != nil {
		return nil, err
	}
	l.split, l.set = split, &catalog.Set{Name: name, Rows: split.Rows, By: split.By, Columns: split.Columns, Far: opt.Far}
	for i, r := range split.Shards {
		l.set.Shards = append(l.set.Shards, catalog.Shard{Lo: r.Lo, Hi: r.Hi, Assigned: assigned(nodes, i, opt.Replicas)})
	}
	l.on = newPlacement(v, l.set)
	return l, control.CheckTable(l.set)
}

// keep fills in what was not said as it is of the data set that is replaced, and gives it as flags. A data set may have fewer shards than
// it was to have, as it had few rows; it then says nothing of how many there should be, and neither does one with shards that
// are too long for the new rows.
func (o *LoadOptions) keep(old *catalog.Set, least int) (kept []string) {
	if o.Replicas == 0 && len(old.Shards) > 0 {
		o.Replicas = len(old.Shards[0].Assigned)
		kept = append(kept, fmt.Sprintf("--replicas %d", o.Replicas))
	}
	if n := len(old.Shards); o.Shards == 0 && n >= least && int64(n) < old.Rows {
		o.Shards = n
		kept = append(kept, fmt.Sprintf("--shards %d", n))
	}
	if o.By == "" {
		o.By = old.By
		kept = append(kept, "--by "+o.By)
	}
	if !o.Far && !o.Disks && old.Far {
		o.Far = true
		kept = append(kept, "--far")
	}
	return kept
}

// recut says what an append changes of how a set is cut and kept.
func (o *LoadOptions) recut(old *catalog.Set) (notes []string) {
	note := func(now, was string) {
		if now != was {
			notes = append(notes, fmt.Sprintf("all rows are stored with %s now, before it was %s", now, was))
		}
	}
	if o.By != "" {
		note("--by "+o.By, "--by "+old.By)
	}
	if n := len(old.Shards); o.Shards != 0 {
		note(fmt.Sprintf("--shards %d", o.Shards), fmt.Sprintf("--shards %d", n))
	}
	if o.Replicas != 0 && len(old.Shards) > 0 {
		note(fmt.Sprintf("--replicas %d", o.Replicas), fmt.Sprintf("--replicas %d", len(old.Shards[0].Assigned)))
	}
	return notes
}

// columnBytes bounds a column of a shard, if nobody says how many shards there are: half of what WebAssembly reaches, so
// that nodes without native code follow it, too.
const columnBytes = 2 << 30

// shardsFor is one shard for each node, or equally many so that none is too long.
func shardsFor(src data.Source, nodes int) int {
	longest := int64(0)
	for _, c := range src.Columns() {
		longest = max(longest, src.Rows()*c.Width()*int64(c.Kind.Size()))
	}
	nodes = max(nodes, 1)
	need := max(1, (longest+columnBytes-1)/columnBytes)
	return int(min((need+int64(nodes)-1)/int64(nodes)*int64(nodes), catalog.MaxShards))
}

// publish makes the set visible, waits until this client sees it, and drops what had its name
// before. Once it is visible it is loaded: what fails then changes nothing, and nodes that were not
// reached drop the old shards by themselves.
func (l *loading) publish(ctx context.Context) error {
	var old *catalog.Set
	var err error
	if l.opt.Replace {
		old, err = l.c.cfg.Control.Replace(ctx, l.set)
	} else {
		err = l.c.cfg.Control.Commit(ctx, l.set)
	}
	if err != nil {
		return err
	}
	if v, err := l.c.cfg.Control.View(ctx); err == nil {
		l.c.learn(v)
	}
	if old != nil {
		texts, _ := l.c.forgetTexts(ctx, old) // the new set is there, whatever becomes of the old one
		_ = l.c.dropAll(ctx, old, texts)
	}
	return nil
}
