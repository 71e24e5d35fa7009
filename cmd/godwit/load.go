package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/cluster"
	"github.com/godwit-run/godwit/view"
)

// connecting is how long a command waits for the cluster's first answer.
const connecting = 15 * time.Second

// connect joins the cluster of a directory.
func connect(ctx context.Context, dir string) (*godwit.Cluster, error) {
	return connectAs(ctx, dir, false)
}

// connectAs joins it as a client or as an administrator.
func connectAs(ctx context.Context, dir string, admin bool) (*godwit.Cluster, error) {
	ctx, cancel := context.WithTimeout(ctx, connecting)
	defer cancel()
	return godwit.Connect(ctx, dir, godwit.ConnectOptions{OnDemand: true, Admin: admin})
}

// loading is one godwit load.
type loading struct {
	dir, name string
	opt       godwit.LoadOptions
	json      bool
}

func newLoad() *cobra.Command {
	l := &loading{}
	cmd := &cobra.Command{
		Use:   "load FILE --as NAME",
		Short: "Store a file's columns on the nodes of a cluster",
		Long: `Store a file's columns on the nodes of a cluster as a data set, which programs
take as NAME=@DATASET. It is cut into shards by rows:

  --by blocks       at multiples of a power of two, so that partial sums need
                    no rows of a neighbour (the default)
  --by rows         into equal numbers of rows
  --by 'hash(COL)'  by a hash of an integer column; rows with the same value
                    share a shard, and the data set has its rows in shard order`,
		Example: "  godwit load flights.parquet --as flights --shards 8 --replicas 2",
		Args:    cobra.MatchAll(atLeastOne("the file"), cobra.MaximumNArgs(1)),
		RunE:    action(l.run),
	}
	clusterFlag(cmd, &l.dir)
	cmd.Flags().StringVar(&l.name, "as", "", "name of the data set")
	cmd.Flags().IntVar(&l.opt.Shards, "shards", 0, "number of shards (default one per node)")
	cmd.Flags().IntVar(&l.opt.Replicas, "replicas", 1, "on how many nodes each shard is stored")
	cmd.Flags().StringVar(&l.opt.By, "by", "blocks", "blocks, rows or hash(COLUMN)")
	cmd.Flags().BoolVar(&l.opt.Replace, "replace", false, "replace an older data set of the same name")
	cmd.Flags().BoolVar(&l.json, "json", false, "print what was stored as JSON")
	_ = cmd.MarkFlagRequired("as")
	complete(cmd, "by", "blocks", "rows", "hash(")
	return cmd
}

func (l *loading) run(cmd *cobra.Command, args []string) error {
	c, err := connect(cmd.Context(), l.dir)
	if err != nil {
		return err
	}
	defer c.Close()
	p := view.NewProgress(cmd.ErrOrStderr())
	if view.IsTerminal(cmd.ErrOrStderr()) {
		l.opt.Progress = p.Report
	}
	start := time.Now()
	err = c.Load(cmd.Context(), args[0], l.name, l.opt)
	p.Close()
	if err != nil {
		return err
	}
	set, _ := c.View().Named(l.name)
	if l.json {
		return printJSON(cmd.OutOrStdout(), &cluster.Listed(*set)[0])
	}
	bytes := int64(0)
	for _, s := range set.Shards {
		bytes += s.Bytes * int64(len(s.Replicas))
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "@%s: %s rows in %s, %s each, %s on the nodes, %.2f s\n",
		l.name, fmt.Sprint(set.Rows), view.Number(len(set.Shards), "shard"), view.Number(l.opt.Replicas, "replica"), view.Bytes(bytes), time.Since(start).Seconds())
	return err
}

func newDrop() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "drop NAME",
		Short:   "Remove a data set from the cluster",
		Example: "  godwit drop flights",
		Args:    cobra.MatchAll(atLeastOne("the name of the data set"), cobra.MaximumNArgs(1)),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			c, err := connect(cmd.Context(), dir)
			if err != nil {
				return err
			}
			defer c.Close()
			return c.Drop(cmd.Context(), args[0])
		}),
	}
	clusterFlag(cmd, &dir)
	return cmd
}
