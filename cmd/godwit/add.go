package main

import (
	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/cluster/fleet"
)

func newAdd() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "add NODE",
		Short: "Start another node of a running cluster on this machine",
		Long: `Start another node of a running godwit up, with the flags that this one was started
with. It stays one of the cluster: the next godwit up starts it, too. It holds no data sets
until some are loaded, or a node is drained, or lost copies are made again.`,
		Example:           "  godwit add n5",
		Args:              one("the node's name"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: action(func(cmd *cobra.Command, args []string) error {
			r, err := fleet.NewClient(dir).Add(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return showStarted(cmd, r, "now", asJSON)
		}),
	}
	clusterFlag(cmd, &dir)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the node as JSON")
	return cmd
}
