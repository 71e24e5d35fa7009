package main

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/site"
)

// newCluster makes the files of a cluster whose nodes run on other machines, and those of
// further users of any cluster.
func newCluster() *cobra.Command {
	var dir string
	var etcd, nodes, clients, admins []string
	var ttl time.Duration
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Make the certificates of a cluster: of nodes on several machines, of clients, of administrators",
		Long: `Make a cluster's directory without starting anything: its authority, an identity
for clients, one for administrators, and one for each node, to be copied to the
machine that runs it. With an older directory, also one that godwit up made, it
issues what is named and what is missing.

Give each person a certificate of their own (--client NAME): limits are counted for
each name, and a certificate can be revoked (godwit trust revoke --certificate).
Administrators may change whom the cluster trusts, and revoke.`,
		Example: "  godwit cluster --etcd etcd:2379 --node godwit-0 --node godwit-1\n  godwit cluster --client alice --client bob",
		Args:    atMost(0),
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			s, err := site.Prepare(dir, etcd, ttl)
			if err != nil {
				return err
			}
			if err := s.IssueMissing(); err != nil {
				return err
			}
			return issue(cmd.OutOrStdout(), s, nodes, clients, admins)
		}),
	}
	clusterFlag(cmd, &dir)
	cmd.Flags().StringSliceVar(&etcd, "etcd", nil, "HOST:PORT,... of etcd")
	cmd.Flags().StringArrayVar(&nodes, "node", nil, "NAME or NAME=HOST[:PORT]/HOST of a node, as often as there are nodes; clients reach it at the first host, or at its name, and port 7411")
	cmd.Flags().StringArrayVar(&clients, "client", nil, "NAME of a client that gets a certificate of its own, as often as there are some")
	cmd.Flags().StringArrayVar(&admins, "admin", nil, "NAME of an administrator that gets one")
	cmd.Flags().DurationVar(&ttl, "ttl", control.DefaultTTL, "after which time without a sign of life a node counts as dead")
	return cmd
}

// issue makes certificates, and says what they are for and when they end.
func issue(out io.Writer, s *site.Site, nodes, clients, admins []string) error {
	say := func(dir, format string, args ...any) error {
		until, err := site.Until(dir)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s (certificate until %s)\n", fmt.Sprintf(format, args...), until.Format(time.DateOnly))
		return err
	}
	for _, n := range nodes {
		name, at, err := s.Add(n)
		if err != nil {
			return err
		}
		at = filepath.Join(at, "identity")
		if err := say(at, "node %s: copy %s to its directory", name, at); err != nil {
			return err
		}
	}
	card := filepath.Join(s.Dir, "cluster.json")
	for _, of := range []struct {
		role  identity.Role
		names []string
	}{{identity.Client, clients}, {identity.Admin, admins}} {
		for _, name := range of.names {
			at, err := s.Issue(of.role, name)
			if err != nil {
				return err
			}
			if err := say(at, "%v %s: copy %s, and %s as %v", of.role, name, card, at, of.role); err != nil {
				return err
			}
		}
	}
	client, admin := filepath.Join(s.Dir, site.ClientDir), filepath.Join(s.Dir, site.AdminDir)
	if err := say(client, "clients without a name of their own: copy %s and %s", card, client); err != nil {
		return err
	}
	return say(admin, "administrators: %s, too", admin)
}
