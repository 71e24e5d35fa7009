package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	atomically "github.com/godwit-run/godwit/internal/data/whole"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/plan"
	"github.com/godwit-run/godwit/internal/view"
)

// explaining is one godwit explain.
type explaining struct {
	json, stages, asm     bool
	arch, machine, engine string
	svg, whyNot, cluster  string
	strategy              string
	threads, plan         int
}

func newExplain() *cobra.Command {
	x := &explaining{}
	cmd := &cobra.Command{
		Use:   "explain FILE[:FUNC] [NAME=VALUE]...",
		Short: "Show how a call would be carried out, and how long that takes",
		Long: `With arguments: show the plan of a call, the plans that it was chosen from, from
which size on another one is better, and what the expected time is made of (see
godwit calibrate). Without: show the function with its sizes. --stages also shows
what becomes of it on its way to the machine: the graph after each pass, the laws of
its folds, the kernels with their bounds, and the schedule.`,
		Example:           "  godwit explain flights.gw f=flights.parquet\n  godwit explain flights.gw --stages\n  godwit explain sum.gw v=data.npy --why-not native\n  godwit explain sum.gw v=data.npy --machine faster.toml --svg plans.svg",
		Args:              atLeastOne("the program"),
		ValidArgsFunction: completeTarget,
		RunE:              action(x.run),
	}
	f := cmd.Flags()
	f.BoolVar(&x.json, "json", false, "print plan and stages as JSON")
	f.BoolVar(&x.stages, "stages", false, "also show every stage from source to schedule")
	f.BoolVar(&x.asm, "asm", false, "with the stages, and the instructions that this processor gets (needs libLLVM 19)")
	f.StringVar(&x.arch, "arch", "", "with the instructions of another processor: amd64, arm64 or riscv64")
	complete(cmd, "arch", "amd64", "arm64", "riscv64")
	f.StringVar(&x.machine, "machine", "", "plan for the machine that this file of godwit calibrate describes (default this one)")
	f.IntVar(&x.threads, "threads", 0, "plan with so many threads (default all processors)")
	choiceFlag(cmd, &x.engine, "engine", godwit.Engines, "plan with "+alternatives(godwit.Engines))
	f.StringVar(&x.svg, "svg", "", "draw what the plans take by size into this file")
	planFlag(cmd, &x.plan, "show the plan of this number (default the best)")
	whyNotFlag(cmd, &x.whyNot)
	clusterFlag(cmd, &x.cluster)
	strategyFlag(cmd, &x.strategy)
	return cmd
}

// whyNotFlag asks about a strategy.
func whyNotFlag(cmd *cobra.Command, name *string) {
	words := slices.Concat(plan.Strategies, plan.WayNames)
	cmd.Flags().StringVar(name, "why-not", "", "what a strategy would take, and what would have to be different for it to be chosen: "+alternatives(words))
	complete(cmd, "why-not", words...)
}

func (x *explaining) run(cmd *cobra.Command, words []string) error {
	if len(words) < 2 && x.svg+x.whyNot != "" {
		return misused("give the arguments of a call, as in v=data.npy", "--svg and --why-not are about the plan of a call, which depends on its arguments")
	}
	e, err := explain(words)
	if err != nil {
		return err
	}
	out := &explained{Explanation: e}
	if len(words) > 1 {
		opts := append(forced(cmd, x.strategy, x.plan), godwit.WithPrediction(x.machine), godwit.WithEngine(x.engine), godwit.WithThreads(x.threads), x.asked())
		if out.Expected, err = expect(cmd.Context(), words, x.cluster, opts...); err != nil {
			return err
		}
	}
	if x.asm || x.arch != "" {
		if err := assemble(cmd.Context(), e, x.arch); err != nil {
			return err
		}
	}
	if err := x.draw(out.Expected); err != nil {
		return err
	}
	if x.json {
		return printJSON(cmd.OutOrStdout(), out)
	}
	style := view.StyleOf(cmd.OutOrStdout())
	if err := view.Plan(cmd.OutOrStdout(), out.Expected, style); err != nil {
		return err
	}
	if x.stages || x.asm || x.arch != "" {
		return view.Explain(cmd.OutOrStdout(), e, style)
	}
	return view.Head(cmd.OutOrStdout(), e, unplanned(out.Expected, words[1:]), style)
}

// asked is the option for --why-not; nil without.
func (x *explaining) asked() godwit.Option {
	if x.whyNot == "" {
		return nil
	}
	return godwit.WithWhyNot(x.whyNot)
}

// unplanned is why there is no plan to show; "" if there is one.
func unplanned(s *godwit.Stats, args []string) string {
	switch {
	case len(args) == 0:
		return "The plan depends on the arguments: give those of a call to see it."
	case s.Predicted != nil:
		return ""
	case s.Engine == "interp":
		return "The interpreter has one plan, of which nothing was measured."
	}
	return "Nothing is expected of this call: arguments that a data.Source of your own reads are not predicted."
}

// draw writes the plans by size as SVG.
func (x *explaining) draw(s *godwit.Stats) error {
	if x.svg == "" {
		return nil
	}
	if s.Plan.By == nil {
		return misused("draw a call of a function with sizes over .npy or .arrow files", "--svg: what this call takes is not planned by a size")
	}
	if s.Plan.By.LeftOut != "" {
		return misused("draw a function with fewer steps", "--svg: the plans by %s are left out: %s", s.Plan.By.Name, s.Plan.By.LeftOut)
	}
	if err := atomically.Write(x.svg, []byte(view.Curves(s.Plan.By, s.Plan.Sizes[s.Plan.By.Name])), 0o666); err != nil {
		return fmt.Errorf("--svg %s: %w", x.svg, err)
	}
	return nil
}

// explained is what explain prints.
type explained struct {
	*compile.Explanation
	Expected *godwit.Stats `json:"expected,omitempty"`
}

// expect says what a run would take.
func expect(ctx context.Context, words []string, dir string, opts ...godwit.Option) (*godwit.Stats, error) {
	f, args, err := prepare(words)
	if err != nil {
		return nil, err
	}
	c, err := (&running{cluster: dir}).connect(ctx, args)
	if err != nil {
		return nil, err
	}
	if c != nil {
		defer c.Close()
	}
	opts = append(opts, godwit.WithCluster(c))
	rt := newRuntime()
	defer rt.Close()
	return f.Predict(ctx, args, append(opts, godwit.WithRuntime(rt))...)
}

func explain(words []string) (*compile.Explanation, error) {
	file, fn := target(words[0])
	args, err := arguments(words)
	if err != nil {
		return nil, err
	}
	for _, a := range args {
		if t, ok := a.(compile.Text); ok && strings.HasPrefix(string(t), "@") {
			args = nil // the stages are those of any call: what a data set has is not read for them
			break
		}
	}
	sources, err := compile.Read(file)
	if err != nil {
		return nil, err
	}
	p, err := compile.Check(sources...)
	if err != nil {
		return nil, err
	}
	return p.Explain(fn, args)
}
