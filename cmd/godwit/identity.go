package main

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/site"
)

// newCluster makes the files of a cluster whose nodes run on other machines.
func newCluster() *cobra.Command {
	var dir string
	var etcd, nodes []string
	var ttl time.Duration
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Make the certificates of a cluster whose nodes run on several machines",
		Long: `Make a cluster's directory without starting anything: its authority, an
identity for clients, and one for each node, to be copied to the machine that runs it. With
an older directory it issues what is missing.`,
		Example: "  godwit cluster --etcd etcd:2379 --node godwit-0 --node godwit-1",
		Args:    cobra.NoArgs,
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			s, err := site.Prepare(dir, etcd, ttl)
			if err != nil {
				return err
			}
			for _, n := range nodes {
				name, at, err := s.Add(n)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "node %s: copy %s to its directory\n", name, filepath.Join(at, "identity"))
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "clients: copy %s and %s; administrators: %s instead\n", filepath.Join(dir, "cluster.json"), filepath.Join(dir, site.ClientDir), filepath.Join(dir, site.AdminDir))
			return err
		}),
	}
	clusterFlag(cmd, &dir)
	cmd.Flags().StringSliceVar(&etcd, "etcd", nil, "HOST:PORT,... of etcd")
	cmd.Flags().StringArrayVar(&nodes, "node", nil, "NAME or NAME=HOST[:PORT]/HOST of a node, as often as there are nodes; clients reach it at the first host, or at its name, and port 7411")
	cmd.Flags().DurationVar(&ttl, "ttl", 5*time.Second, "after which time without a sign of life a node counts as dead")
	return cmd
}
