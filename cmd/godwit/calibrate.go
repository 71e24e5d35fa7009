package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/plan/calibrate"
	"github.com/godwit-run/godwit/internal/plan/machine"
	"github.com/godwit-run/godwit/internal/view"
)

func newCalibrate() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure what this machine can do",
		Long: `Measure, in some seconds, how long memory and operations take on this machine.
From then on "godwit run" with --stats or --json says beforehand how long a run
takes here. The measurements are a file that can be read and edited.`,
		Example: "  godwit calibrate\n  godwit calibrate --out machine.toml",
		Args:    atMost(0),
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			if out == "" {
				var err error
				if out, err = machine.Path(); err != nil {
					return fmt.Errorf("%w; name a file with --out", err)
				}
			}
			return calibrated(cmd, out)
		}),
	}
	cmd.Flags().StringVar(&out, "out", "", "the file to write (default the one in the cache folder, which is used from then on)")
	return cmd
}

func calibrated(cmd *cobra.Command, out string) error {
	start := time.Now()
	m, err := calibrateHere(cmd.Context(), func(what string) { fmt.Fprintln(cmd.ErrOrStderr(), what) })
	if err != nil {
		return err
	}
	if err := m.Save(out); err != nil {
		return err
	}
	engines := strings.Join(view.EngineNames(m), " and ")
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "measured %s in %s: %s\n", engines, time.Since(start).Round(time.Second), out)
	return err
}

// calibrateHere measures this machine; progress is told what.
func calibrateHere(ctx context.Context, progress func(string)) (*machine.Machine, error) {
	opt := calibrate.Options{Progress: progress}
	command, dir := codegenCommand()
	if command != nil {
		s := codegen.New(codegen.Options{Program: command, Dir: dir})
		defer s.Close()
		if _, err := s.Info(ctx); err == nil {
			opt.Codegen = s
		}
	}
	return calibrate.Run(ctx, opt)
}
