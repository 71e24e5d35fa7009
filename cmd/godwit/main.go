// Command godwit checks, formats, explains and runs godwit programs.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	_ "github.com/godwit-run/godwit/cmd/godwit/firstgc"   // first of all
	"github.com/godwit-run/godwit/cmd/godwit/latemetrics" // before the catalogue's server
	"github.com/godwit-run/godwit/internal/view"
)

// Exit codes.
const (
	exitFailed      = 1   // the program, an argument or a file is at fault
	exitUsage       = 2   // the command line is
	exitInterrupted = 130 // as shells say it for SIGINT
)

func main() {
	latemetrics.Started()
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	// Once a signal has come, the next one ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs one command line and gives its exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(stderr, "error: internal error: %v\n  help: this is a bug in godwit; please report it with the program and this trace:\n%s", p, debug.Stack())
			code = exitFailed
		}
	}()
	root := newRoot()
	root.SetArgs(mask(args))
	out := &outlet{Writer: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	addCompletion(root)
	cmd, err := root, helpless(root, args)
	if err == nil {
		cmd, err = root.ExecuteContextC(ctx)
	}
	if out.err != nil && (err == nil || errors.Is(err, out.err)) && ctx.Err() == nil {
		fmt.Fprintf(stderr, "error: standard output: %v\n", cause(out.err))
		return exitFailed
	}
	if err == nil {
		return 0
	}
	code = complain(ctx, err, stderr)
	tell(stdout, cmd, args, err, code)
	return code
}

// complain prints an error for people and gives the exit code that it leads to.
func complain(ctx context.Context, err error, stderr io.Writer) int {
	var of *failure
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "interrupted")
		return exitInterrupted
	case errors.As(err, &of):
		fmt.Fprint(stderr, view.Error(of.err, view.StyleOf(stderr)))
		return exitFailed
	}
	fmt.Fprint(stderr, view.Error(err, view.StyleOf(stderr)))
	if usage := (*usageError)(nil); !errors.As(err, &usage) || usage.help == "" {
		fmt.Fprintln(stderr, "  help: godwit --help, or godwit COMMAND --help")
	}
	return exitUsage
}

// failure is an error of a command itself; all others are about the command
// line: a usageError, or what the checks in usage.go gave.
type failure struct{ err error }

func (e *failure) Error() string { return e.err.Error() }
func (e *failure) Unwrap() error { return e.err }

// action makes what a command does from a function, whose errors are
// failures, but for a usageError.
func action(f func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := f(cmd, args)
		if usage := (*usageError)(nil); err == nil || errors.As(err, &usage) {
			return err
		}
		return &failure{err}
	}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "godwit",
		Short:         "Run small array programs over real files at the speed of memory",
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       ownVersion(),

		SuggestionsMinimumDistance: 2,

		Args: known,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.AddCommand(newRun(), newRepl(), newCheck(), newFmt(), newExplain(), newDescribe(), newHead(), newConvert(), newCalibrate(), newBench(), newGenerate(), newVersion(),
		newUp(), newDown(), newRestart(), newAdd(), newDrain(), newNode(), newFar(), newCluster(), newLoad(), newDrop(), newStatus(), newScrub())
	root.AddCommand(newCC(), newKeygen(), newSend(), newTrust())
	root.AddCommand(newChildren()...)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp(root))
	checkFlags(root)
	return root
}

// addCompletion adds the commands that write scripts for shells, to where root writes now.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Args, c.RunE = known, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		for _, shell := range c.Commands() {
			shell.Args = atMost(0)
		}
	}
}

// newHelp shows what --help does.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		ValidArgsFunction: func(*cobra.Command, []string, string) (words []string, _ cobra.ShellCompDirective) {
			for _, c := range root.Commands() {
				if c.IsAvailableCommand() {
					words = append(words, c.Name())
				}
			}
			return words, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err == nil {
				err = known(c, rest)
			}
			if err != nil {
				return err
			}
			return c.Help()
		},
	}
}
