package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/engine/codegen"
)

// versions is what godwit version prints.
type versions struct {
	Version  string   `json:"version"`
	Go       string   `json:"go"`
	Platform string   `json:"platform"`
	Engines  []string `json:"engines"`
	LLVM     string   `json:"llvm"` // version and place of the library, or why there is none
}

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print versions and the engines that are available",
		Args:  atMost(0),
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			v := versions{Version: ownVersion(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			v.Engines, v.LLVM = engines(cmd.Context())
			if asJSON {
				return printJSON(cmd.OutOrStdout(), &v)
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "godwit %s, %s, %s\nengines: %s\nLLVM:    %s\n", v.Version, v.Go, v.Platform, strings.Join(v.Engines, ", "), v.LLVM)
			return err
		}),
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// ownVersion is that of the module, as the build has noted it.
func ownVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// engines lists what can run programs here, fastest first, and says what there is of
// LLVM.
func engines(ctx context.Context) (names []string, llvm string) {
	names = []string{"wasm", "interp"}
	command, _ := codegenCommand()
	s := codegen.New(codegen.Options{Program: command})
	defer s.Close()
	info, err := s.Info(ctx)
	if err != nil {
		return names, err.Error()
	}
	return append([]string{"native"}, names...), info.Version + ", " + info.Path
}
