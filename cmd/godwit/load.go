package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/view"
)

// connect joins the cluster of a directory.
func connect(ctx context.Context, dir string) (*godwit.Cluster, error) {
	return connectAs(ctx, dir, false)
}

// connectAs joins it as a client or as an administrator.
func connectAs(ctx context.Context, dir string, admin bool) (*godwit.Cluster, error) {
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
take as NAME=@DATASET. FILE may be several files, a folder or a pattern, with
options of text, as godwit run takes them. CSV has no types: all rows are read first to choose each
column's. A column that cannot be stored is an error, unless --skip leaves it out.
The set is cut into shards by rows:

  --by blocks       at multiples of a power of two, so that partial sums need
                    no rows of a neighbour (the default)
  --by rows         into equal numbers of rows
  --by 'hash(COL)'  by a hash of a column of integers, text or times; rows with the
                    same value share a shard, and the data set has its rows in
                    shard order`,
		Example: "  godwit load flights.parquet --as flights --shards 8 --replicas 2",
		Args:    one("the file"),
		RunE:    action(l.run),
	}
	clusterFlag(cmd, &l.dir)
	cmd.Flags().StringVar(&l.name, "as", "", "name of the data set")
	cmd.Flags().IntVar(&l.opt.Shards, "shards", 0, "number of shards (default one per node, or more so that no column of one is longer than 2 GiB)")
	cmd.Flags().IntVar(&l.opt.Replicas, "replicas", 0, "on how many nodes each shard is stored (default 1)")
	cmd.Flags().StringVar(&l.opt.By, "by", "", "blocks, rows or hash(COLUMN) (default blocks)")
	cmd.Flags().StringArrayVar(&l.opt.Skip, "skip", nil, "leave the column of this name, or of this number, as #1, out (can be given several times)")
	cmd.Flags().BoolVar(&l.opt.Far, "far", false, "store it in far memory: in the processes of godwit far")
	cmd.Flags().BoolVar(&l.opt.Replace, "replace", false, "replace an older data set of the same name, whose --shards, --replicas, --by and --far stay unless they are given")
	cmd.Flags().BoolVar(&l.opt.Append, "append", false, "add the rows behind those of the data set, with its columns and types; not twice, if the same files were added before and the answer was lost")
	cmd.Flags().BoolVar(&l.opt.Widen, "widen", false, "with --append: a column of the data set whose type does not hold the file's values, or nulls, gets a type that holds both; rows have no value in a column that was not theirs")
	cmd.Flags().BoolVar(&l.opt.Again, "again", false, "with --append: add them also if the same rows were added before")
	cmd.Flags().DurationVar(&l.opt.Deadline, "deadline", cluster.StoreDeadline, "give up when nothing was stored for so long")
	cmd.Flags().BoolVar(&l.json, "json", false, "print what was stored as JSON")
	_ = cmd.MarkFlagRequired("as")
	complete(cmd, "by", "blocks", "rows", "hash(")
	return cmd
}

// check refuses what cannot be meant.
func (l *loading) check(cmd *cobra.Command) error {
	switch {
	case l.opt.Append && l.opt.Replace:
		return misused("leave one out", "--append adds rows to a data set, and --replace removes those that it has")
	case l.opt.Widen && !l.opt.Append:
		return misused("add --append, or leave it out", "--widen is for --append")
	case l.opt.Again && !l.opt.Append:
		return misused("add --append, or leave it out", "--again is for --append")
	case l.opt.Replicas < 1 && cmd.Flags().Changed("replicas"):
		return misused("use 1 or more: so many nodes store each shard", "--replicas is %d", l.opt.Replicas)
	case (l.opt.Shards < 1 && cmd.Flags().Changed("shards")) || l.opt.Shards > catalog.MaxShards:
		return misused(fmt.Sprintf("use 1 to %d; without it there is one for each node, or as many as keep each column below 2 GiB", catalog.MaxShards), "--shards is %d", l.opt.Shards)
	}
	return deadlineGiven(cmd, l.opt.Deadline, fmt.Sprintf("without it a load ends when nothing was stored for %v", cluster.StoreDeadline))
}

func (l *loading) run(cmd *cobra.Command, args []string) error {
	if err := l.check(cmd); err != nil {
		return err
	}
	l.opt.Disks = cmd.Flags().Changed("far") && !l.opt.Far
	c, err := connect(cmd.Context(), l.dir)
	if err != nil {
		return err
	}
	defer c.Close()
	p := view.NewProgress(cmd.ErrOrStderr(), "loading", "rows")
	if view.IsTerminal(cmd.ErrOrStderr()) {
		l.opt.Progress = p.Report
	}
	start := time.Now()
	loaded, err := c.Load(cmd.Context(), args[0], l.name, l.opt)
	p.Close()
	if err != nil {
		return skippable(err)
	}
	noted(cmd, loaded.Notes)
	if l.json {
		loaded.Set = &cluster.Listed(*loaded.Set)[0]
		return printJSON(cmd.OutOrStdout(), loaded)
	}
	_, err = fmt.Fprint(cmd.OutOrStdout(), view.Loaded(loaded, time.Since(start)))
	return err
}

// skippable adds the flags that leave out what cannot be stored.
func skippable(err error) error {
	var input *godwit.InputError
	var unfit *godwit.UnfitError
	if !errors.As(err, &input) || !errors.As(err, &unfit) {
		return err
	}
	flags := ""
	for _, name := range unfit.Names {
		flags += " --skip " + site.Quoted(name)
	}
	with := *input
	with.Help = "leave out what cannot be stored:" + flags
	if input.Help != "" {
		with.Help = input.Help + "\nor " + with.Help
	}
	return &with
}

func newDrop() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "drop NAME",
		Short:   "Remove a data set from the cluster",
		Example: "  godwit drop flights",
		Args:    one("the name of the data set"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			c, err := connect(cmd.Context(), dir)
			if err != nil {
				return err
			}
			defer c.Close()
			return c.Drop(cmd.Context(), strings.TrimPrefix(args[0], "@"))
		}),
	}
	clusterFlag(cmd, &dir)
	return cmd
}
