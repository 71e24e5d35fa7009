package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/view"
)

// versions is what godwit version prints.
type versions struct {
	Version  string   `json:"version"`
	Go       string   `json:"go"`
	Platform string   `json:"platform"`
	Engines  []string `json:"engines"`
	LLVM     string   `json:"llvm"` // version and place of the library, or why there is none
	// Machine is when this machine was measured; "" if it was not, and then an assumed one stands for it.
	Machine string `json:"machine"`
	// Files is how long a byte of a file in memory takes by each way to read it, in nanoseconds.
	Files map[string]float64 `json:"files"`
	// Apart is memory of this machine without processors beside it, as memory expanders have.
	Apart []machine.Apart `json:"memory_apart"`
}

func newVersion() *cobra.Command {
	var asJSON, verbose bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print versions and the engines that are available",
		Args:  atMost(0),
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			v := versions{Version: ownVersion(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
			v.Engines, v.LLVM = engines(cmd.Context())
			m := machine.Here()
			v.Machine, v.Files, v.Apart = m.Measured, files(m), append([]machine.Apart{}, machine.MemoryApart("/sys")...)
			if asJSON {
				return printJSON(cmd.OutOrStdout(), &v)
			}
			text := fmt.Sprintf("godwit %s, %s, %s\nengines: %s\nLLVM:    %s\n", v.Version, v.Go, v.Platform, strings.Join(v.Engines, ", "), v.LLVM)
			if verbose {
				text += fmt.Sprintf("machine: %s\nfiles:   %s\nmemory:  %s\n", measuredText(m), filesText(v.Files), apartText(v.Apart))
			}
			_, err := io.WriteString(cmd.OutOrStdout(), text)
			return err
		}),
	}
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print when the machine was measured, what a byte of a file takes, and memory without processors beside it, too")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return cmd
}

// wayNames are those of machine.Machine.Ways, in their order.
var wayNames = []string{"read", "mapped", "faults"}

func files(m *machine.Machine) map[string]float64 {
	list := map[string]float64{}
	for i, ns := range m.Ways {
		if ns > 0 {
			list[wayNames[i]] = ns
		}
	}
	return list
}

func measuredText(m *machine.Machine) string {
	if m.Measured == "" {
		return "assumed: " + m.Name + " (godwit calibrate measures this one)"
	}
	return "measured " + m.Measured
}

// filesText names the ways to read files that the system has in memory, the quickest first.
func filesText(list map[string]float64) string {
	names := slices.SortedFunc(maps.Keys(list), func(a, b string) int { return cmp.Compare(list[a], list[b]) })
	if len(names) == 0 {
		return "ways to read them were not measured: the first long one tries all"
	}
	var parts []string
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%s %.3g ns a byte", name, list[name]))
	}
	return strings.Join(parts, ", ") + "; a long one tries all"
}

// apartText names memory that has no processors beside it.
func apartText(list []machine.Apart) string {
	if len(list) == 0 {
		return "none without processors beside it, as memory expanders have"
	}
	var parts []string
	for _, a := range list {
		parts = append(parts, fmt.Sprintf("NUMA node %d has %s and no processors", a.Node, view.Bytes(a.Bytes)))
	}
	return strings.Join(parts, ", ")
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
