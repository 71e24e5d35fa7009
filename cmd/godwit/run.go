package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/view"
)

// running is one godwit run.
type running struct {
	json    bool
	stats   bool
	analyze bool
	threads int
	rows    int
	engine  string
	out     string
	by      []string
	machine string
	plan    int
	whyNot  string
	// Of calls that use a cluster:
	cluster  string
	strategy string
	deadline time.Duration
}

func newRun() *cobra.Command {
	r := &running{}
	cmd := &cobra.Command{
		Use:   "run FILE[:FUNC] [NAME=VALUE]...",
		Short: "Run a function over files and values",
		Long: `Run a function of a program. FUNC may be left out if there is only one, or
only one that is public.

A value is a literal, such as 3, 2.5, true, [1, 2], (1, 2.0), {delay: 3} or
None, or files: an .npy, .csv, .tsv, .jsonl, .arrow, .feather or .parquet file, perhaps
compressed (.gz, .zst), several with commas between them, a folder, a pattern such
as 'part-*.parquet', or - for standard input. Options of text stand behind a ?, as
in 'sales.csv?sep=;&na=NA&decimal=,', and #COLUMN chooses one column of a table.
@NAME is a data set of the cluster, beside which the function runs. A size that no
parameter fixes is given in the same way: K=8.`,
		Example:           "  godwit run sum.gw v=data.npy\n  godwit run flights.gw:mean_delay f=flights.parquet --json",
		Args:              atLeastOne("the program"),
		ValidArgsFunction: completeTarget,
		RunE:              action(r.run),
	}
	cmd.Flags().BoolVar(&r.json, "json", false, "print the result and what the run did as JSON")
	cmd.Flags().BoolVar(&r.stats, "stats", false, "also print to standard error what each step took, and what it ran on")
	cmd.Flags().BoolVar(&r.analyze, "analyze", false, "also print to standard error what was expected of each step beforehand, beside what it took")
	cmd.Flags().IntVar(&r.threads, "threads", 0, "threads to use (default all processors)")
	cmd.Flags().IntVarP(&r.rows, "rows", "n", 0, "how many rows of a table to show (default 20)")
	choiceFlag(cmd, &r.engine, "engine", godwit.Engines, alternatives(godwit.Engines))
	cmd.Flags().StringVar(&r.out, "out", "", "write the result to an .npy, .csv, .tsv, .jsonl, .arrow or .parquet file")
	partitionFlag(cmd, &r.by, "--out")
	cmd.Flags().StringVar(&r.machine, "machine", "", "decide and predict for the machine that this file of godwit calibrate describes (default this one)")
	planFlag(cmd, &r.plan, "carry out the plan of this number, as godwit explain lists them (default the best)")
	whyNotFlag(cmd, &r.whyNot)
	clusterFlag(cmd, &r.cluster)
	strategyFlag(cmd, &r.strategy)
	cmd.Flags().DurationVar(&r.deadline, "deadline", 0, fmt.Sprintf("give up this long after the start of the command (default never; a request to nodes ends after %s)", cluster.Deadline))
	return cmd
}

// strategyFlag chooses how steps go to data sets.
func strategyFlag(cmd *cobra.Command, name *string) {
	choiceFlag(cmd, name, "strategy", words(cluster.Strategies), "with data sets: auto, fetch (rows come here), ship (code goes there), gather (loops that follow indices are brought the rows that they come to), single (so, one loop after another) or preinstalled (ship, but the code must be there)")
}

// partitionFlag takes the columns that part what is written.
func partitionFlag(cmd *cobra.Command, by *[]string, where string) {
	cmd.Flags().StringSliceVar(by, "partition-by", nil, "write a folder, "+where+", with a file for each value of these columns, in folders COLUMN=value (separate them by commas)")
}

// partitioned refuses that flag if it names no column.
func partitioned(cmd *cobra.Command, by []string) error {
	if len(by) == 0 && cmd.Flags().Changed("partition-by") {
		return misused("name them, as in --partition-by year,month", "--partition-by names no column")
	}
	return nil
}

// planFlag takes the number of a plan.
func planFlag(cmd *cobra.Command, number *int, usage string) {
	cmd.Flags().IntVar(number, "plan", 0, usage)
}

// forced are the options for --strategy, and for --plan if it was given.
func forced(cmd *cobra.Command, strategy string, plan int) []godwit.Option {
	opts := []godwit.Option{godwit.WithStrategy(godwit.Strategy(strategy))}
	if cmd.Flags().Changed("plan") {
		opts = append(opts, godwit.WithPlan(plan))
	}
	return opts
}

func complete(cmd *cobra.Command, flag string, words ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag does not exist
	}
}

// run keeps the deadline, from the command's start to its end.
func (r *running) run(cmd *cobra.Command, words []string) error {
	if err := deadlineGiven(cmd, r.deadline, "without it a run has none"); err != nil {
		return err
	}
	if r.deadline <= 0 {
		return late(cmd.Context(), 0, r.whole(cmd.Context(), cmd, words))
	}
	ctx, cancel := context.WithTimeoutCause(cmd.Context(), r.deadline, &deadlineError{limit: r.deadline})
	defer cancel()
	return late(ctx, r.deadline, within(ctx, func() error { return r.whole(ctx, cmd, words) }))
}

// settling is how long what runs has to end after its context, before it is left alone: what
// waits for a disk, or a file that is no file, does not hear of contexts.
const settling = time.Second

// within runs f and ends with ctx, at the latest a moment after it.
func within(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- fmt.Errorf("internal error: %v\n  help: this is a bug in godwit; please report it with the program and this trace:\n%s", p, debug.Stack())
			}
		}()
		done <- f()
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(settling):
		return context.Cause(ctx)
	}
}

func (r *running) whole(ctx context.Context, cmd *cobra.Command, words []string) error {
	if r.threads < 0 {
		return misused("use 1 or more; 0 means all processors", "--threads is %d", r.threads)
	}
	if r.rows < 1 && cmd.Flags().Changed("rows") || r.rows > 1<<20 {
		return misused("use 1 to 1,048,576", "--rows is %d", r.rows)
	}
	if err := partitioned(cmd, r.by); err != nil {
		return err
	}
	f, args, err := prepare(words)
	if err != nil {
		return err
	}
	if err := r.checkOut(f); err != nil {
		return err
	}
	c, err := r.connect(ctx, args)
	if err != nil {
		return err
	}
	if c != nil {
		defer c.Close()
	}
	p := view.NewProgress(cmd.ErrOrStderr(), "running", "rows")
	rt := newRuntime()
	defer rt.Close()
	opts := []godwit.Option{godwit.WithRuntime(rt), godwit.WithThreads(r.threads), godwit.WithEngine(r.engine),
		godwit.WithCluster(c)}
	opts = append(opts, forced(cmd, r.strategy, r.plan)...)
	if r.out != "" {
		opts = append(opts, godwit.WithFile(r.out, r.by...))
	}
	if r.stats || r.analyze || r.json || r.machine != "" {
		opts = append(opts, godwit.WithPrediction(r.machine))
	}
	if r.whyNot != "" {
		opts = append(opts, godwit.WithWhyNot(r.whyNot))
	}
	if view.IsTerminal(cmd.ErrOrStderr()) {
		opts = append(opts, godwit.WithProgress(p.Report))
	}
	res, err := f.Call(ctx, args, opts...)
	p.Close()
	if err == nil && ctx.Err() != nil && r.out == "" { // a file that is there is there
		err = context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	stats := res.Stats()
	for i := range stats.Ensured {
		if w := stats.Ensured[i].Warning(); w != "" {
			fmt.Fprintln(cmd.ErrOrStderr(), "warning: "+w)
		}
	}
	if r.analyze {
		fmt.Fprint(cmd.ErrOrStderr(), view.Analyze(&stats))
	}
	if r.stats {
		fmt.Fprint(cmd.ErrOrStderr(), view.Stats(&stats))
	}
	if r.whyNot != "" {
		fmt.Fprint(cmd.ErrOrStderr(), view.WhyNot(&stats))
	}
	return r.show(cmd, res)
}

// connect joins the cluster if an argument is one of its data sets.
func (r *running) connect(ctx context.Context, args godwit.Args) (*godwit.Cluster, error) {
	for _, a := range args {
		if t, ok := a.(godwit.Text); ok && strings.HasPrefix(string(t), "@") {
			return connect(ctx, r.cluster)
		}
	}
	return nil, nil
}

// arguments reads those of a function, after its program: what cannot be read is a wrong command line.
func arguments(words []string) (compile.Args, error) {
	args, err := compile.ParseArgs(words[1:])
	bad := (*compile.InputError)(nil)
	if !errors.As(err, &bad) {
		return args, err
	}
	file, fn := target(words[0])
	for _, w := range words[1:] { // the name of a function stands where an argument does
		if p, err := godwit.CompileFile(file); fn == "" && err == nil && slices.Contains(p.Funcs(), w) {
			return nil, &usageError{fmt.Sprintf("`%s` is a function, which is named with its file", w), "write " + file + ":" + w}
		}
	}
	return nil, &usageError{bad.Text, bad.Help}
}

// prepare compiles the program and reads the arguments.
func prepare(words []string) (*godwit.Func, godwit.Args, error) {
	file, fn := target(words[0])
	list, err := arguments(words)
	if err != nil {
		return nil, nil, err
	}
	p, err := godwit.CompileFile(file)
	if err != nil {
		return nil, nil, err
	}
	for _, w := range p.Warnings() {
		fmt.Fprint(os.Stderr, w)
	}
	f, err := p.Func(fn)
	args := godwit.Args{}
	for name, a := range list {
		args[name] = godwit.Text(a.(compile.Text))
	}
	return f, args, err
}

// checkOut finds out before the run whether the result can go where it shall.
func (r *running) checkOut(f *godwit.Func) error {
	if r.out == "" {
		if len(r.by) > 0 {
			return misused("add --out FOLDER", "--partition-by says how a result is written, and nothing says where")
		}
		if f.ResultPlace() == "Disk" {
			return &godwit.InputError{Text: "the result of `" + f.Name() + "` is declared `@ Disk`, but no file is named for it", Help: "add --out result.npy (or .csv, .tsv, .jsonl, .arrow, .parquet)"}
		}
		return nil
	}
	var wrong *data.Error
	if errors.As(data.Target{Path: r.out, By: r.by}.Check(), &wrong) {
		return &godwit.InputError{Text: "--out " + r.out + ": " + wrong.Msg, Help: wrong.Help, Err: wrong}
	}
	return noFolder("--out "+r.out, r.out)
}

// noFolder is the error that what is written has no folder to be in.
func noFolder(what, out string) error {
	dir := filepath.Dir(filepath.Clean(out))
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return &godwit.InputError{Text: what + ": there is no directory " + dir, Help: "make it first: mkdir -p " + dir, Err: err}
	}
	return nil
}

func (r *running) show(cmd *cobra.Command, res *godwit.Result) error {
	w := cmd.OutOrStdout()
	switch {
	case r.json:
		return printJSON(w, report(res, r.out))
	case r.out == "":
		_, err := fmt.Fprintln(w, value.Render(res.Value(), rendering(w, r.rows, "--out FILE and --json have all")))
		return err
	}
	return nil
}

// rendering fits a value to where it is shown: so many rows, 20 if 0, and on a terminal no more columns than it has room for.
func rendering(w io.Writer, rows int, all string) value.RenderOptions {
	o := value.RenderOptions{Width: view.Width(w), Rows: rows}
	if view.IsTerminal(w) {
		o.Fit = all
	}
	return o
}

// reported is what godwit run --json prints.
type reported struct {
	Function string          `json:"function"`
	Type     string          `json:"type"`
	Result   json.RawMessage `json:"result,omitempty"`
	Out      string          `json:"out,omitempty"`
	godwit.Stats
}

func report(res *godwit.Result, out string) *reported {
	r := &reported{Function: res.Func, Type: res.Type(), Out: out, Stats: res.Stats()}
	if r.Kernels == nil {
		r.Kernels = []godwit.Kernel{}
	}
	if out == "" {
		r.Result = res.JSON()
	}
	return r
}

// words are strategies as users write them.
func words(list []cluster.Strategy) (out []string) {
	for _, s := range list {
		out = append(out, string(s))
	}
	return out
}
