package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/packages/trust"
)

// newKeygen makes the keys that packages are signed with.
func newKeygen() *cobra.Command {
	return &cobra.Command{
		Use:   "keygen NAME",
		Short: "Make a key to sign packages with",
		Long: `Make an ed25519 key pair: NAME.key, which signs packages (godwit cc --key) and is to be
kept secret, and NAME.pub, which operators of nodes list (godwit trust add). Files
that exist are not replaced.`,
		Example: "  godwit keygen ci",
		Args:    one("the name of the key"),
		RunE: action(func(cmd *cobra.Command, args []string) error {
			key, err := trust.Generate(args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s.key, %s.pub: key %s\nfingerprint %s\n", args[0], args[0], trust.Text(key), trust.Fingerprint(key))
			return err
		}),
	}
}
