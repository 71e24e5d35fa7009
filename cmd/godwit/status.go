package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/view"
)

// statusTime is how long nodes may take to say how they are; what has not by then is listed as silent.
const statusTime = 3 * time.Second

func newStatus() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show a cluster's nodes, data sets, cached code and traffic",
		Args:  atMost(0),
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			c, err := connect(cmd.Context(), dir)
			if err != nil {
				return err
			}
			defer c.Close()
			ctx, cancel := context.WithTimeout(cmd.Context(), statusTime)
			defer cancel()
			asked := make(chan []control.MemberState, 1)
			go func() { asked <- c.Members(ctx) }()
			nodes, err := c.Status(ctx)
			if err != nil {
				return err
			}
			v, members := c.View(), <-asked
			if asJSON {
				return printJSON(cmd.OutOrStdout(), &clusterStatus{append([]cluster.NodeStatus{}, nodes...), cluster.AwayFrom(v, nodes), cluster.Listed(v.Sets...), cluster.CopiesOf(v), append([]control.MemberState{}, members...), cluster.AccusedOf(nodes)})
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), view.Cluster(v, nodes)+view.Code(nodes)+view.Damaged(nodes)+view.Accused(cluster.AccusedOf(nodes), time.Now())+view.Members(members, time.Now()))
			return err
		}),
	}
	clusterFlag(cmd, &dir)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}
