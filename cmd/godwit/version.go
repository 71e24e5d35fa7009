package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
)

// versions is what godwit version prints.
type versions struct {
	Version  string   `json:"version"`
	Go       string   `json:"go"`
	Platform string   `json:"platform"`
	Engines  []string `json:"engines"`
}

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print versions and the engines that are available",
		Args:  cobra.NoArgs,
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			v := versions{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Engines: godwit.Engines[1:]}
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
				v.Version = info.Main.Version
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), v)
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "godwit %s, %s, %s\nengines: %s\n", v.Version, v.Go, v.Platform, strings.Join(v.Engines, ", "))
			return err
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}
