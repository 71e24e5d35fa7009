package main

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/identity"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/data/digest"
	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/packages/trust"
)

func newTrust() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Say whose packages the nodes of a cluster may run, and who is let in no more",
		Long: `Say whose packages the nodes of a cluster may run. Nobody's, as long as no key
was added; and only nodes that were started with --native run any. To revoke is
for ever: nodes end what runs of a key or package, and take it never again; they
disconnect the owner of a certificate, and let it in never again. Changes need the
identity of an administrator, admin/ in the cluster's directory.`,
		Args: atMost(0),
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
		Args:    one("the key"),
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
	var dir, certificate string
	cmd := &cobra.Command{
		Use:   "revoke KEY|NAME|HASH",
		Short: "Trust a key, a package or a certificate never again",
		Long: `Revoke a key, given as text, as a .pub file or by the name that it was added under, or
a package, given by its hash or by its first digits; or with --certificate a certificate of the cluster, given
as a file or by its serial number, with all that it was and will be renewed to.`,
		Example: "  godwit trust revoke ci\n  godwit trust revoke --certificate clients/alice/identity.pem",
		Args:    atMost(1),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			if _, err := revocation(args, certificate); err != nil {
				return err
			}
			return withSite(cmd.Context(), dir, true, func(ctx context.Context, c *cluster.Cluster) error {
				args, err := wholeHash(ctx, c, args)
				if err != nil {
					return err
				}
				edit, err := revocation(args, certificate)
				if err != nil {
					return err
				}
				return edited(ctx, cmd, c, edit)
			})
		}),
	}
	clusterFlag(cmd, &dir)
	cmd.Flags().StringVar(&certificate, "certificate", "", "FILE of a certificate, or its SERIAL number")
	return cmd
}

// revocation is the change that a command line asks for.
func revocation(args []string, certificate string) (func(trust.List) (trust.List, error), error) {
	switch {
	case (len(args) == 1) == (certificate != ""):
		return nil, &godwit.InputError{Text: "expected one thing to revoke", Help: "name a key (gwk1… or FILE.pub), the name of a listed key or the hash of a package, or a certificate with --certificate"}
	case certificate != "":
		serial, err := identity.ReadSerial(certificate)
		return func(l trust.List) (trust.List, error) { return l.RevokeCertificate(serial) }, err
	case strings.HasSuffix(args[0], ".pub"):
		key, err := trust.ReadPublic(args[0])
		return func(l trust.List) (trust.List, error) { return l.RevokeKey(key) }, err
	}
	return func(l trust.List) (trust.List, error) { return l.Revoke(args[0]) }, nil
}

func newTrustList() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Show what is trusted and what was revoked",
		Args:  atMost(0),
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
		return edited(ctx, cmd, c, edit)
	})
}

func edited(ctx context.Context, cmd *cobra.Command, c *cluster.Cluster, edit func(trust.List) (trust.List, error)) error {
	list, err := c.Trust(ctx, edit)
	if err != nil {
		return err
	}
	return showTrust(cmd, list, false)
}

// wholeHash gives the beginning of a package's hash its other digits, if one package alone that nodes
// hold has it. Names of keys come first.
func wholeHash(ctx context.Context, c *cluster.Cluster, args []string) ([]string, error) {
	if len(args) != 1 || !digest.Prefix(args[0]) || slices.ContainsFunc(c.View().Trust.Keys, func(k trust.Key) bool { return k.Name == args[0] }) {
		return args, nil
	}
	if _, err := pack.ParseID(args[0]); err == nil {
		return args, nil // it may be of a package that is nowhere yet
	}
	nodes, err := c.Status(ctx)
	if err != nil {
		return nil, err
	}
	hash, err := digest.Find(args[0], packageHashes(nodes))
	if err != nil {
		return nil, &godwit.InputError{Text: fmt.Sprintf("of the packages on the nodes, %v", err), Help: "`godwit status --json` lists them; a hash of 64 digits need not be there", Err: err}
	}
	return []string{hash}, nil
}

func packageHashes(nodes []cluster.NodeStatus) (list []string) {
	for _, n := range nodes {
		var r daemon.Report
		if json.Unmarshal(n.Report, &r) != nil { // it says nothing
			continue
		}
		for _, p := range r.Packages {
			list = append(list, p.Hash)
		}
	}
	return list
}

func showTrust(cmd *cobra.Command, list trust.List, asJSON bool) error {
	if asJSON {
		return printJSON(cmd.OutOrStdout(), &list)
	}
	_, err := fmt.Fprint(cmd.OutOrStdout(), list)
	return err
}

// withSite does something with a cluster.
func withSite(ctx context.Context, dir string, admin bool, do func(context.Context, *cluster.Cluster) error) error {
	c, err := site.Connect(ctx, dir, site.Options{Admin: admin})
	if err != nil {
		return err
	}
	defer c.Close()
	return do(ctx, c)
}
