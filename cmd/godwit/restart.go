package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/cluster/fleet"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/front/diag"
)

func newRestart() *cobra.Command {
	var dir string
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "restart NODE...|--all",
		Short: "End nodes and start them again, one after another",
		Long: `End nodes of a running godwit up and start them again, one after another: the
next one only when the one before is a member again and holds the shards that it held. Data
sets with two replicas can be read all the time. Nodes that were given up are started, too. Where
nodes keep data in memory, one with the only replica of something is not ended.`,
		Example: "  godwit restart n2\n  godwit restart --all",
		Args: func(_ *cobra.Command, args []string) error {
			if (len(args) == 0) != all {
				return errors.New("name nodes, or give --all: godwit restart NODE...|--all")
			}
			return nil
		},
		ValidArgsFunction: completeNodes(&dir),
		RunE: action(func(cmd *cobra.Command, names []string) error {
			return restart(cmd, dir, names, all, asJSON)
		}),
	}
	clusterFlag(cmd, &dir)
	cmd.Flags().BoolVar(&all, "all", false, "all nodes of the cluster on this machine")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each node as JSON, one a line")
	return cmd
}

func restart(cmd *cobra.Command, dir string, names []string, all, asJSON bool) error {
	c := fleet.NewClient(dir)
	s, err := c.State(cmd.Context())
	if err != nil {
		return err
	}
	if all {
		names = nodeNames(s)
	}
	for _, name := range names { // before the first one is ended
		if !slices.Contains(nodeNames(s), name) {
			return fleet.UnknownNode(name, dir, nodeNames(s))
		}
	}
	if s.Memory {
		if _, err := fleet.Keeps(cmd.Context(), dir, names...); err != nil {
			return err
		}
	}
	for _, name := range names {
		r, err := c.Restart(cmd.Context(), name)
		if err != nil {
			return err
		}
		if err := showStarted(cmd, r, "again", asJSON); err != nil {
			return err
		}
	}
	return nil
}

func nodeNames(s *fleet.State) (names []string) {
	for _, n := range s.Nodes {
		names = append(names, n.Name)
	}
	return names
}

// showStarted prints a node that was started, at once.
func showStarted(cmd *cobra.Command, r *fleet.Restarted, word string, asJSON bool) error {
	if asJSON {
		return printJSON(cmd.OutOrStdout(), r)
	}
	lost := ""
	if r.Lost > 0 {
		lost = "; " + diag.Counted(int64(r.Lost), "shard") + " that it held in memory are held by nobody any more: load them again"
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "node %s is ready %s after %.1f s, at %s, with %s%s\n", r.Node, word, r.Seconds, r.Address, diag.Counted(int64(r.Shards), "shard"), lost)
	return err
}

// completeNodes completes nodes of the cluster's directory that are not on the command line yet.
func completeNodes(dir *string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		s, err := site.Open(*dir)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var list []string
		for _, n := range s.Nodes {
			if strings.HasPrefix(n.Name, typed) && !slices.Contains(args, n.Name) {
				list = append(list, n.Name)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}
