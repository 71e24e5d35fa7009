// Package chaos runs a cluster of real processes, makes it suffer, and holds what it
// answers to what one machine answers.
//
// What goes in is the godwit binary, a folder, a seed and a time. Clients call functions
// over data sets with two replicas on five nodes while nodes are killed, hang, lose files,
// disks and the majority, and other clients are greedy. What comes out is a report. What
// must hold:
//
//   - no answer is wrong: each equals the one of one machine, byte for byte;
//   - none is late: a call ends by its deadline and Allowance;
//   - a call fails only while a shard of its data set had no good live replica, of which
//     the harness keeps an account of its own; without a majority reads go on;
//   - no node ends but those that were ended;
//   - when the faults are over everything heals within Healing: all copies are there,
//     and nodes hold no more memory, descriptors and goroutines than before.
package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// What is promised to clients, and what the harness allows itself.
const (
	// Deadline is what every call states.
	Deadline = 20 * time.Second
	// Allowance is for the start of a process, for connecting, and for a busy machine.
	Allowance = 6 * time.Second
	// Hung is after which time without an end a call is killed.
	Hung = 60 * time.Second
	// Noticing is how long after a node is well again it may still be missing to others:
	// it has to be reached, be a member, and publish what it holds.
	Noticing = 10 * time.Second
	// Reviving is how long `up` gets to start a node again before the harness asks it to.
	Reviving = 20 * time.Second
	// Healing is after which time all copies of all shards must be there.
	Healing = 120 * time.Second
)

// Config is what a run is made of.
type Config struct {
	Godwit   string // the binary
	Dir      string // gets data, the cluster and the log
	Seed     uint64
	Duration time.Duration
	Clients  int
	Faults   []string // names of those to be used; none means all
}

// Nodes of the cluster; the first three keep its records.
const (
	nodeCount   = 5
	memberCount = 3
	replicas    = 2
)

// run is one run in progress.
type run struct {
	Config
	*journal
	*processes
	account *account
	report  *Report
	calls   []*call
	tables  *tables
	stop    chan struct{} // closed when clients are to end

	spoiling sync.Mutex
	spoilt   map[string]bool // shards of which a replica is bad, by set and number
	repairs  sync.WaitGroup
}

// Run does a whole run. An error says that the run could not be done; what it found is
// in the report.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	j, err := newJournal(filepath.Join(cfg.Dir, "log"))
	if err != nil {
		return nil, err
	}
	defer j.close()
	j.say("seed %d, %v, %d clients, binary %s", cfg.Seed, cfg.Duration, cfg.Clients, cfg.Godwit)
	r := &run{Config: cfg, journal: j, report: newReport(cfg.Seed), stop: make(chan struct{}), spoilt: map[string]bool{}}
	r.account = newAccount()
	r.processes = newCluster(cfg.Godwit, cfg.Dir, j, r.report, r.account)
	if r.tables, err = makeTables(filepath.Join(cfg.Dir, "data"), cfg.Seed); err != nil {
		return nil, err
	}
	if r.calls, err = r.localAnswers(ctx); err != nil {
		return nil, err
	}
	defer r.end()
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	before := r.holdings(ctx)
	for end := time.Now().Add(startLimit); len(before) < nodeCount && time.Now().Before(end) && ctx.Err() == nil; before = r.holdings(ctx) {
		sleep(ctx, look)
	}
	r.suffer(ctx)
	r.heal(ctx, before)
	j.say("%s", r.report)
	return r.report, nil
}

// prepare starts the cluster and loads the data sets.
func (r *run) prepare(ctx context.Context) error {
	if r.wants("fulldisk") {
		if err := r.mount(); err != nil {
			r.unmount()
			r.report.note("NOT TESTED: a full disk; mounting a tmpfs fails: %v", err)
		}
	}
	if err := r.start(ctx); err != nil {
		return err
	}
	for _, s := range r.tables.sets {
		if o := r.godwit(ctx, time.Minute, "load", s.file, "--as", s.name, "--replicas", strconv.Itoa(replicas), "--cluster", r.dir); o.code != 0 {
			return fmt.Errorf("load %s: %s", s.name, o.stderr)
		}
	}
	for _, c := range r.calls { // so that kernels are where they will be
		r.one(ctx, c, &client{r: r, rng: rand.New(rand.NewPCG(r.Seed, 7))})
	}
	return ctx.Err()
}

// suffer has clients call and faults happen, until the time is over.
func (r *run) suffer(ctx context.Context) {
	var clients, watchers sync.WaitGroup
	for i := range r.Clients {
		c := &client{r: r, rng: rand.New(rand.NewPCG(r.Seed, uint64(100+i)))}
		clients.Go(func() { c.work(ctx) })
	}
	over := make(chan struct{})
	watchers.Go(func() { r.processes.watch(ctx, over) })
	r.makeFaults(ctx, time.Now().Add(r.Duration))
	close(r.stop)
	clients.Wait()
	r.scrub(ctx)
	r.repairs.Wait()
	r.untilWhole(ctx, time.Now().Add(Healing))
	close(over)
	watchers.Wait()
}

// heal calls everything once more, when nothing may be wrong any longer.
func (r *run) heal(ctx context.Context, before map[string]holding) {
	for _, c := range r.calls {
		for _, how := range strategies {
			if o := r.ask(ctx, c, how, 0); o.verdict != right {
				r.report.find("after", "%s by %s after everything had healed: %s", c.name, how, o.text)
			}
		}
	}
	r.leaks(ctx, before)
}

// journal is the log: everything that happens, with the time since the start.
type journal struct {
	mu    sync.Mutex
	file  *os.File
	began time.Time
}

func newJournal(name string) (*journal, error) {
	f, err := os.Create(name)
	return &journal{file: f, began: time.Now()}, err
}

func (j *journal) say(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintf(j.file, "%9.3f %s\n", j.seconds(), fmt.Sprintf(format, args...))
}

// seconds since the start.
func (j *journal) seconds() float64 { return time.Since(j.began).Seconds() }

func (j *journal) close() { _ = j.file.Close() }
