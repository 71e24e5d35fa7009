package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/site"
)

// Limits of waiting.
const (
	// Stopping is how long nodes get to end by themselves. Those that keep the cluster's records
	// get it after the others have ended.
	Stopping = 5 * time.Second
	// starting is how long a node may take to be a member.
	starting = 60 * time.Second
	// leaving is how long processes of an earlier fleet get to end.
	leaving = 5 * time.Second
	// again is after what time files are tried again that could not be written.
	again = 5 * time.Second
	// lastMember is how long the last member of etcd gets when the others have ended.
	lastMember = time.Second
	look       = 20 * time.Millisecond
)

// Options are what a fleet is started with.
type Options struct {
	Dir   string // of the cluster
	Nodes int    // how many; 0 for as many as there were, DefaultNodes in a new folder
	TTL   time.Duration
	Etcd  []string // endpoints of one that runs elsewhere; empty for one beside the nodes
	// Program starts a node when the node's own flags, and then Flags, are put behind it.
	Program []string
	Flags   []string
	Verbose io.Writer // gets the nodes' logs, too; may be nil
	// Restarts is how often within ten minutes a node is started again that ended unasked.
	Restarts int
	Pause    time.Duration // before the first of them; 1 s if 0
	Say      func(Event)   // is told what happens, one call at a time
	Log      string        // the file where that goes, if it is one
	Metrics  string        // HOST:PORT for the figures of the fleet and all its nodes; none if empty
}

// Fleet is the nodes of a folder.
type Fleet struct {
	opt     Options
	site    *site.Site // of the absolute path
	starter *starter
	ports   *ports
	ctx     context.Context // ends when the fleet is to end; the cause is why
	cancel  context.CancelCauseFunc
	saying  sync.Mutex

	ending sync.Mutex // who has it may end a node that keeps data in memory

	mu    sync.Mutex // guards what follows, and cluster.json
	nodes []*keeper
	ready bool
	saved string          // what cluster.json holds
	moved map[string]bool // members of etcd whose address others do not know yet
}

var errAsked = errors.New("somebody asked for it")

// Run starts a fleet and keeps it running until ctx ends, or somebody asks for its end through the
// folder's socket, or every node is given up, which is an error.
func Run(ctx context.Context, opt Options) (err error) {
	if err := site.Descriptors(site.NodeDescriptors); err != nil { // the nodes inherit the limit
		return err
	}
	held, err := lock(opt.Dir)
	if err != nil {
		return err
	}
	defer held.Close()
	f := &Fleet{opt: opt, starter: newStarter(), ports: newPorts(), moved: map[string]bool{}}
	defer f.ports.close()
	f.ctx, f.cancel = context.WithCancelCause(ctx)
	defer f.cancel(nil)
	if f.site, err = f.open(); err != nil {
		return err
	}
	end, err := f.serve()
	if err != nil {
		return err
	}
	defer end()
	silence, err := site.ServeMetrics(f.opt.Metrics, f.metrics())
	if err != nil {
		return err
	}
	defer silence()
	defer f.stop()
	if err := f.prepare(); err != nil {
		return err
	}
	return f.run()
}

// run starts the nodes and waits for the end.
func (f *Fleet) run() error {
	begin := time.Now()
	f.startAll()
	if err := f.await(); err != nil {
		if ended(f.ctx) == nil && f.ctx.Err() != nil {
			return nil // asked to end while starting
		}
		return err
	}
	f.formed()
	go f.oversee()
	f.say(Event{Event: "ready", Text: f.readyText(time.Since(begin))})
	for t := time.NewTicker(again); ; {
		select {
		case <-f.ctx.Done():
			t.Stop()
			return ended(f.ctx)
		case <-t.C:
			f.rewrite()
			f.rotate()
		}
	}
}

// rewrite tries again to write what did not fit on the disk.
func (f *Fleet) rewrite() {
	f.mu.Lock()
	defer f.mu.Unlock()
	_ = f.save() // it was said when it failed first
	for _, k := range f.nodes {
		if k.life != nil && !k.life.noted {
			k.life.note(k.dir)
		}
	}
}

// ended is the error with which a fleet ended, nil if it was asked to.
func ended(ctx context.Context) error {
	if all := (*allGivenUp)(nil); errors.As(context.Cause(ctx), &all) {
		return all
	}
	return nil
}

// allGivenUp says that nothing is left to wait for.
type allGivenUp struct{ last string }

func (e *allGivenUp) Error() string { return "all nodes have ended; the last one: " + e.last }

func (f *Fleet) say(e Event) {
	f.saying.Lock()
	defer f.saying.Unlock()
	f.opt.Say(e)
}

func (f *Fleet) readyText(took time.Duration) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.count(Ready)
	count := fmt.Sprintf("%d nodes are", n)
	if n < len(f.nodes) {
		count = fmt.Sprintf("%d of %d nodes are", n, len(f.nodes))
	}
	return fmt.Sprintf("%s ready in %s, after %.1f s", count, f.opt.Dir, took.Seconds())
}

// count is how many nodes are in a state. Its caller has the lock.
func (f *Fleet) count(states ...string) (n int) {
	for _, k := range f.nodes {
		if slices.Contains(states, k.state) {
			n++
		}
	}
	return n
}

// startAll begins to keep every node of the folder.
func (f *Fleet) startAll() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range f.site.Nodes {
		f.enlist(f.site.Nodes[i].Name)
	}
}

// await waits until every node is a member, or was given up.
func (f *Fleet) await() error {
	ctx, cancel := context.WithTimeout(f.ctx, starting)
	defer cancel()
	for {
		f.mu.Lock()
		wait, names := f.count(Starting, Waiting), f.names(Ready)
		f.mu.Unlock()
		if wait == 0 && len(names) > 0 {
			return f.seen(ctx, func(v *catalog.View) bool { return hasAll(v, names) })
		}
		if ctx.Err() != nil {
			return f.late()
		}
		pause(ctx, look)
	}
}

// late says what is missing.
func (f *Fleet) late() error {
	if f.ctx.Err() != nil {
		return context.Cause(f.ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	text := fmt.Sprintf("%d of %d nodes are ready after %v", f.count(Ready), len(f.nodes), starting)
	for _, k := range f.nodes {
		if k.state == Ready {
			continue
		}
		last := k.last
		if k.life != nil {
			last = reason(k.dir+"/log", k.life.from)
		}
		text += fmt.Sprintf("; %s (%s) last said: %s", k.name, k.state, last)
	}
	return errors.New(text)
}

func (f *Fleet) names(state string) (list []string) {
	for _, k := range f.nodes {
		if k.state == state {
			list = append(list, k.name)
		}
	}
	return list
}

func hasAll(v *catalog.View, names []string) bool {
	for _, name := range names {
		if named(v, name) == nil {
			return false
		}
	}
	return true
}

func named(v *catalog.View, name string) *catalog.Node {
	for i := range v.Nodes {
		if v.Nodes[i].Name == name {
			return &v.Nodes[i]
		}
	}
	return nil
}

// seen waits until the cluster's records say something.
func (f *Fleet) seen(ctx context.Context, so func(*catalog.View) bool) error {
	for {
		c, err := site.Connect(ctx, f.opt.Dir, site.Options{})
		if err != nil {
			if ctx.Err() != nil {
				return fmt.Errorf("the cluster does not answer: %w", err)
			}
			pause(ctx, look)
			continue
		}
		for !so(c.View()) && ctx.Err() == nil {
			pause(ctx, look)
		}
		done := so(c.View())
		c.Close()
		if done {
			return nil
		}
		return context.Cause(ctx)
	}
}

// stop ends all nodes: first those that keep no records, so that their leaving can
// be recorded.
func (f *Fleet) stop() {
	f.cancel(errAsked)
	f.mu.Lock()
	all := slices.Clone(f.nodes)
	members := map[string]bool{}
	for _, n := range f.site.Nodes {
		members[n.Name] = n.ControlPeer != ""
	}
	f.mu.Unlock()
	for _, member := range []bool{false, true} {
		f.endAll(slices.DeleteFunc(slices.Clone(all), func(k *keeper) bool { return members[k.name] != member }), member)
	}
}

// endAll ends nodes at the same time. The last of several members of etcd is killed soon: it has left
// the cluster with the others, and waits for a majority that will not come.
func (f *Fleet) endAll(list []*keeper, members bool) {
	ended := make(chan *keeper)
	for _, k := range list {
		go func() {
			k.order(context.Background(), true)
			ended <- k
		}()
	}
	alone := time.Duration(-1)
	if members && len(list) > 1 {
		alone = lastMember
	}
	for rest := list; len(rest) > 0; {
		var late <-chan time.Time
		if len(rest) == 1 && alone >= 0 {
			late = time.After(alone)
		}
		select {
		case k := <-ended:
			rest = slices.DeleteFunc(slices.Clone(rest), func(o *keeper) bool { return o == k })
		case <-late:
			f.kill(rest[0])
			alone = -1
		}
	}
}

func (f *Fleet) kill(k *keeper) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if k.life != nil {
		_ = k.life.process.Kill() // it may have ended just now
	}
}

// find is the keeper of a node, or an error that says which there are.
func (f *Fleet) find(name string) (*keeper, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var names []string
	for _, k := range f.nodes {
		if k.name == name {
			return k, nil
		}
		names = append(names, k.name)
	}
	return nil, UnknownNode(name, f.opt.Dir, names)
}

// UnknownNode says which nodes there are.
func UnknownNode(name, dir string, names []string) error {
	return &Error{Text: fmt.Sprintf("there is no node %q in %s", name, dir), Help: "its nodes are " + strings.Join(names, ", ")}
}
