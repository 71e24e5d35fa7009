package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster/fleet"
)

func newDown() *cobra.Command {
	var dir string
	var timeout time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "down",
		Short: "End the cluster that godwit up has started",
		Long: `End the nodes of a cluster on this machine, wherever its godwit up runs, and wait
until they have ended. Their data stays. What has not ended after --timeout is killed.`,
		Example: "  godwit down\n  godwit down --cluster /data/cluster --timeout 5s",
		Args:    atMost(0),
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			if timeout <= 0 {
				return &godwit.InputError{Text: fmt.Sprintf("--timeout is %s", timeout), Help: "use more than 0"}
			}
			e, err := fleet.NewClient(dir).Down(cmd.Context(), timeout)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), e)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), endText(e, timeout))
			return err
		}),
	}
	clusterFlag(cmd, &dir)
	cmd.Flags().DurationVar(&timeout, "timeout", 30*time.Second, "after which time what still runs is killed")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print what was ended as JSON")
	return cmd
}

func endText(e *fleet.Ended, timeout time.Duration) string {
	switch {
	case !e.Ran:
		return fmt.Sprintf("nothing runs in %s", e.Dir)
	case e.Killed:
		return fmt.Sprintf("the cluster in %s was killed, as it had not ended after %v", e.Dir, timeout)
	case e.Left > 0:
		return fmt.Sprintf("the cluster in %s has ended, after %.1f s; %d processes had outlived their godwit up", e.Dir, e.Seconds, e.Left)
	}
	return fmt.Sprintf("the cluster in %s has ended, after %.1f s", e.Dir, e.Seconds)
}
