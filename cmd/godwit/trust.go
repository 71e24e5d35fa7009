package main

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/cluster"
	"github.com/godwit-run/godwit/site"
	"github.com/godwit-run/godwit/trust"
)

func newTrust() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Say whose packages the nodes of a cluster may run",
		Long: `Say whose packages the nodes of a cluster may run. Nobody's, as long as no key
was added; and only nodes that were started with --native run any. To revoke is
for ever: nodes end what runs of it, and take the key or package never again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newTrustAdd(), newTrustRevoke(), newTrustList())
	return cmd
}

func newTrustAdd() *cobra.Command {
	var dir, name string
	cmd := &cobra.Command{
		Use:     "add KEY",
		Short:   "Trust a key: what it signed may run",
		Long:    "Trust a key, given as text (gwk1…) or as the file NAME.pub that godwit keygen wrote.",
		Example: "  godwit trust add ci.pub --name ci",
		Args:    cobra.MatchAll(atLeastOne("the key"), cobra.MaximumNArgs(1)),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			key, usual, err := publicKey(args[0])
			if err != nil {
				return err
			}
			if name == "" {
				name = usual
			}
			return editTrust(cmd, dir, func(l trust.List) (trust.List, error) { return l.Add(name, key) })
		}),
	}
	clusterFlag(cmd, &dir)
	cmd.Flags().StringVar(&name, "name", "", "what to call the key (default the name of its file)")
	return cmd
}

// publicKey reads a key's text, or a file of it, and gives it a name.
func publicKey(text string) (ed25519.PublicKey, string, error) {
	if key, err := trust.Parse(text); err == nil {
		return key, strings.ReplaceAll(trust.Fingerprint(key)[:9], ":", ""), nil
	}
	if _, err := os.Stat(text); err != nil {
		_, err := trust.Parse(text)
		return nil, "", fmt.Errorf("%w, and there is no file of that name", err)
	}
	key, err := trust.ReadPublic(text)
	return key, strings.TrimSuffix(filepath.Base(text), filepath.Ext(text)), err
}

func newTrustRevoke() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:     "revoke KEY|NAME|HASH",
		Short:   "Trust a key, or a package, never again",
		Long:    "Revoke a key, given as text, as a .pub file or by the name that it was added under, or a package, given by its hash.",
		Example: "  godwit trust revoke ci",
		Args:    cobra.MatchAll(atLeastOne("what to revoke"), cobra.MaximumNArgs(1)),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			return editTrust(cmd, dir, func(l trust.List) (trust.List, error) {
				if strings.HasSuffix(args[0], ".pub") {
					key, err := trust.ReadPublic(args[0])
					if err != nil {
						return l, err
					}
					return l.RevokeKey(key)
				}
				return l.Revoke(args[0])
			})
		}),
	}
	clusterFlag(cmd, &dir)
	return cmd
}

func newTrustList() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Show what is trusted and what was revoked",
		Args:  cobra.NoArgs,
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			return withSite(cmd.Context(), dir, false, func(_ context.Context, c *cluster.Cluster) error {
				return showTrust(cmd, c.View().Trust, asJSON)
			})
		}),
	}
	clusterFlag(cmd, &dir)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

func editTrust(cmd *cobra.Command, dir string, edit func(trust.List) (trust.List, error)) error {
	return withSite(cmd.Context(), dir, true, func(ctx context.Context, c *cluster.Cluster) error {
		list, err := c.Trust(ctx, edit)
		if err != nil {
			return err
		}
		return showTrust(cmd, list, false)
	})
}

func showTrust(cmd *cobra.Command, list trust.List, asJSON bool) error {
	if asJSON {
		return printJSON(cmd.OutOrStdout(), list)
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), list)
	return err
}

// withSite does something with a cluster, within the time that it may take to
// connect.
func withSite(ctx context.Context, dir string, admin bool, do func(context.Context, *cluster.Cluster) error) error {
	ctx, cancel := context.WithTimeout(ctx, connecting)
	defer cancel()
	c, err := site.Connect(ctx, dir, site.Options{Admin: admin})
	if err != nil {
		return err
	}
	defer c.Close()
	return do(ctx, c)
}
