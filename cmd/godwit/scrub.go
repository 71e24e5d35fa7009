package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/view"
)

// diskFlags are the flags about a node's disk.
type diskFlags struct {
	scrub   daemon.Scrub
	reserve int64
}

func (d *diskFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Int64Var(&d.scrub.Rate, "scrub-rate", 16<<20, "bytes a second at which shards are read again and compared with their checksums; 0 for never")
	f.DurationVar(&d.scrub.Pause, "scrub-pause", time.Hour, "time between two such passes over all shards")
	f.Int64Var(&d.reserve, "reserve", 0, "bytes of the disk that stay free for records and logs; no data is taken that needs them (default a twentieth of the disk, at most 1 GiB)")
}

func (d *diskFlags) set(cfg *site.NodeConfig) { cfg.Scrub, cfg.Reserve = d.scrub, d.reserve }

func newScrub() *cobra.Command {
	s := &scrubbing{passes: map[catalog.Peer]*scrubPass{}}
	var dir string
	cmd := &cobra.Command{
		Use:   "scrub",
		Short: "Read all data on all nodes again and compare it with its checksums",
		Long: `Read all shards on all nodes again, from the disks and not from memory, and
compare them with their checksums. A damaged shard is set aside, as when a program
meets it: others answer for it, and it is made again from them. The exit code is 1 if
something was damaged or a node could not be asked. It needs an administrator's
certificate, as in the directory admin of the cluster.`,
		Example: "  godwit scrub\n  godwit scrub --rate 104857600",
		Args:    atMost(0),
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			if s.rate < 0 {
				return &godwit.InputError{Text: fmt.Sprintf("--rate is %d", s.rate), Help: "use a number of bytes a second, or 0 for as fast as the disks are"}
			}
			c, err := connectAs(cmd.Context(), dir, true)
			if errors.Is(err, fs.ErrNotExist) {
				return &godwit.InputError{Text: err.Error(), Help: "a scrub takes the disks from all others, so it needs an administrator's certificate: put its directory beside cluster.json as `" + site.AdminDir + "`, or ask an administrator"}
			}
			if err != nil {
				return err
			}
			defer c.Close()
			begun, err := s.run(cmd.Context(), c, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return s.tell(cmd.OutOrStdout(), s.found(begun))
		}),
	}
	clusterFlag(cmd, &dir)
	cmd.Flags().BoolVar(&s.json, "json", false, "print what was found as JSON")
	cmd.Flags().Int64Var(&s.rate, "rate", 64<<20, "bytes a second on each node; 0 for as fast as its disk")
	return cmd
}

// scrubbing is one godwit scrub.
type scrubbing struct {
	rate   int64
	json   bool
	passes map[catalog.Peer]*scrubPass
}

// scrubPass is what is known of a node.
type scrubPass struct {
	name  string
	pass  int
	last  daemon.Report
	ended bool
	err   string
}

// scrubPoll is how often nodes are asked how far they are, scrubAnswer how long they may
// take to say so, and scrubSilence how often they may say nothing in a row.
const (
	scrubPoll    = 250 * time.Millisecond
	scrubAnswer  = 5 * time.Second
	scrubSilence = 6
)

// run has the nodes read, and gives them in the order in which they are listed.
func (s *scrubbing) run(ctx context.Context, c *godwit.Cluster, diag io.Writer) ([]cluster.NodeStatus, error) {
	begun, err := s.ask(ctx, func(ctx context.Context) ([]cluster.NodeStatus, error) { return c.Scrub(ctx, s.rate) })
	if err != nil {
		return nil, err
	}
	for _, n := range begun {
		p := &scrubPass{name: n.Name, err: n.Error, ended: n.Error != ""}
		if !p.ended {
			p.read(n.Report)
			p.pass = p.last.Scrub.Pass
		}
		s.passes[n.Peer] = p
	}
	bar := view.NewProgress(diag, "reading", "bytes")
	defer bar.Close()
	for silent := 0; !s.done(); {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(scrubPoll):
		}
		list, err := s.ask(ctx, c.Status)
		if err != nil {
			if silent++; silent == scrubSilence {
				return nil, err
			}
			continue
		}
		silent = 0
		s.take(list)
		if view.IsTerminal(diag) {
			bar.Report(s.progress())
		}
	}
	return begun, nil
}

func (s *scrubbing) ask(ctx context.Context, f func(context.Context) ([]cluster.NodeStatus, error)) ([]cluster.NodeStatus, error) {
	ctx, cancel := context.WithTimeout(ctx, scrubAnswer)
	defer cancel()
	return f(ctx)
}

// read takes in what a node says of itself.
func (p *scrubPass) read(b json.RawMessage) {
	var r daemon.Report
	if err := json.Unmarshal(b, &r); err != nil {
		p.err, p.ended = err.Error(), true
		return
	}
	p.last = r
	if p.pass != 0 && (r.Scrub.Pass != p.pass || !r.Scrub.Running) {
		p.ended = true
		if r.Scrub.Pass < p.pass {
			p.err = "the node was started again while it read"
		}
	}
}

func (s *scrubbing) take(list []cluster.NodeStatus) {
	seen := map[catalog.Peer]bool{}
	for _, n := range list {
		seen[n.Peer] = true
		if p := s.passes[n.Peer]; p != nil && !p.ended && n.Error == "" {
			p.read(n.Report)
		}
	}
	for peer, p := range s.passes {
		if !seen[peer] && !p.ended {
			p.err, p.ended = "the node ended while it read", true
		}
	}
}

func (s *scrubbing) done() bool {
	for _, p := range s.passes {
		if !p.ended {
			return false
		}
	}
	return true
}

func (s *scrubbing) progress() (done, total int64) {
	for _, p := range s.passes {
		done, total = done+p.last.Scrub.Bytes, total+p.last.Scrub.Of
	}
	return done, total
}
