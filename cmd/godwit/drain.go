package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/fleet"
	"github.com/godwit-run/godwit/internal/cluster/site"
)

// draining is one godwit drain.
type draining struct {
	dir, node  string
	undo, stop bool
	timeout    time.Duration
	json       bool
}

// drained is what it tells programs.
type drained struct {
	Node     string  `json:"node"`
	Draining bool    `json:"draining"`
	Shards   int     `json:"shards"` // that it held when the others had them, too
	Seconds  float64 `json:"seconds"`
	Stopped  bool    `json:"stopped"`
}

func newDrain() *cobra.Command {
	d := &draining{}
	cmd := &cobra.Command{
		Use:   "drain NODE",
		Short: "Have other nodes copy what a node holds, so that it can be stopped",
		Long: `Mark a node as one to be drained, and wait until the others hold copies of all its
shards, as many as the data sets were loaded with. The node gets no new shards meanwhile, and
goes on to answer. The mark stays when this command is interrupted; --undo takes it
back, and takes a node that is not running off the list of nodes. With --stop the node is then stopped, and taken out of the cluster that godwit up
started; its folder stays.`,
		Example:           "  godwit drain n5\n  godwit drain n5 --stop\n  godwit drain n5 --undo",
		Args:              one("the node's name"),
		ValidArgsFunction: oneNode(&d.dir),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			d.node = args[0]
			return d.run(cmd)
		}),
	}
	clusterFlag(cmd, &d.dir)
	cmd.Flags().BoolVar(&d.undo, "undo", false, "take the mark back")
	cmd.Flags().BoolVar(&d.stop, "stop", false, "then stop the node and take it out of the cluster of godwit up")
	cmd.Flags().DurationVar(&d.timeout, "timeout", 0, "after which time to stop waiting (default never); the mark stays")
	cmd.Flags().BoolVar(&d.json, "json", false, "print how it ended as JSON")
	cmd.MarkFlagsMutuallyExclusive("undo", "stop")
	return cmd
}

// oneNode completes the one node of a command.
func oneNode(dir *string) cobra.CompletionFunc {
	nodes := completeNodes(dir)
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nodes(cmd, args, typed)
	}
}

func (d *draining) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	c, err := site.Connect(ctx, d.dir, site.Options{Admin: true})
	if err != nil {
		return err
	}
	defer c.Close()
	if d.undo {
		if err := c.Drain(ctx, d.node, false); err != nil {
			return err
		}
		return d.tell(cmd, &drained{Node: d.node}, fmt.Sprintf("node %s is no longer drained", d.node))
	}
	peer, err := d.check(ctx, c.View())
	if err != nil {
		return err
	}
	if err := c.Drain(ctx, d.node, true); err != nil {
		return err
	}
	return d.wait(cmd, c, peer)
}

// check refuses what cannot end well, before anything is changed.
func (d *draining) check(ctx context.Context, v *catalog.View) (catalog.Peer, error) {
	i := slices.IndexFunc(v.Nodes, func(n catalog.Node) bool { return n.Name == d.node })
	if i < 0 {
		var names []string
		for _, n := range v.Nodes {
			names = append(names, n.Name)
		}
		slices.Sort(names)
		help := "those that are alive are " + strings.Join(names, ", ")
		if slices.ContainsFunc(v.Away, func(a catalog.Away) bool { return a.Name == d.node }) {
			help += fmt.Sprintf("; if it is not to come back, `%s` takes it off the list of nodes", site.Command("drain "+d.node+" --undo", d.dir))
		}
		return 0, &godwit.InputError{Text: fmt.Sprintf("no node %q is alive", d.node), Help: help}
	}
	peer := v.Nodes[i].Peer
	if e := fleet.DrainingOf(v, peer); e.Others == 0 && !e.Done() {
		return 0, &godwit.InputError{Text: fmt.Sprintf("there is no other node that could take what %s holds", d.node), Help: "add one with `" + site.Command("add NODE", d.dir) + "`"}
	}
	if d.stop {
		return peer, fleet.NewClient(d.dir).Removable(ctx, d.node)
	}
	return peer, nil
}

// wait shows how far it is until nothing is missing elsewhere.
func (d *draining) wait(cmd *cobra.Command, c *cluster.Cluster, peer catalog.Peer) error {
	begin := time.Now()
	ctx := cmd.Context()
	if d.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d.timeout)
		defer cancel()
	}
	last := ""
	for t := time.NewTicker(100 * time.Millisecond); ; {
		v := c.View()
		n, alive := v.Node(peer)
		e := fleet.DrainingOf(v, peer)
		if text := d.progress(alive, e); text != last {
			fmt.Fprintln(cmd.ErrOrStderr(), text)
			last = text
		}
		if alive && n.Draining && e.Done() {
			t.Stop()
			return d.done(cmd, c, e, time.Since(begin))
		}
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			if cmd.Context().Err() != nil {
				return ctx.Err()
			}
			return d.late(alive, e)
		}
	}
}

func (d *draining) progress(alive bool, e fleet.Draining) string {
	if !alive {
		return fmt.Sprintf("node %s is not alive; it is waited for", d.node)
	}
	return fmt.Sprintf("node %s: %d of %d shards are elsewhere, too", d.node, e.Elsewhere, e.Shards)
}

func (d *draining) late(alive bool, e fleet.Draining) error {
	text := fmt.Sprintf("after %v, %d of the %d shards of node %s are elsewhere, too", d.timeout, e.Elsewhere, e.Shards, d.node)
	if !alive {
		text = fmt.Sprintf("node %s is not alive, and what it alone held is out of reach", d.node)
	}
	return &godwit.InputError{Text: text, Help: fmt.Sprintf("it stays marked: wait on with `%s`, or take it back with --undo", site.Command("drain "+d.node, d.dir))}
}

// done stops the node if that was asked for.
func (d *draining) done(cmd *cobra.Command, c *cluster.Cluster, e fleet.Draining, took time.Duration) error {
	r := &drained{Node: d.node, Draining: true, Shards: e.Shards, Seconds: took.Seconds(), Stopped: d.stop}
	if !d.stop {
		return d.tell(cmd, r, fmt.Sprintf("node %s holds nothing that others lack, after %.1f s; it may be stopped: `%s`", d.node, r.Seconds, site.Command("drain "+d.node+" --stop", d.dir)))
	}
	if err := fleet.NewClient(d.dir).Remove(cmd.Context(), d.node); err != nil {
		return err
	}
	r.Draining = false
	if err := c.Drain(cmd.Context(), d.node, false); err != nil { // it may be added again
		return fmt.Errorf("node %s was stopped, but stays marked: %w", d.node, err)
	}
	return d.tell(cmd, r, fmt.Sprintf("node %s was stopped, after %.1f s, and is not one of the cluster in %s any more; its folder stays", d.node, r.Seconds, d.dir))
}

func (d *draining) tell(cmd *cobra.Command, r *drained, text string) error {
	if d.json {
		return printJSON(cmd.OutOrStdout(), r)
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), text)
	return err
}
