package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/peterh/liner"
	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/pattern"
	"github.com/godwit-run/godwit/internal/view"
)

// In: lines, from a terminal or a pipe. Out: the answer to each input, which is one line, or several as long as a bracket is open. What
// is wrong is said, and changes nothing; from a pipe it ends the command, since nobody is there to correct it.

// conversation is one godwit repl.
type conversation struct {
	session *godwit.Session
	runtime *godwit.Runtime
	out     io.Writer
	errs    io.Writer
	stats   bool
	asked   bool              // somebody sits at a terminal
	bound   map[string]string // what names of files stand for
	remote  *godwit.Cluster   // connected with the first data set
	// Of the command line:
	engine  string
	threads int
	cluster string
}

func newRepl() *cobra.Command {
	c := &conversation{}
	cmd := &cobra.Command{
		Use:   "repl [NAME=FILES]...",
		Short: "Declare, run and see: a conversation in the language",
		Long: `Read declarations and expressions, and show what they give. NAME = FILES names files,
or a data set of the cluster, @NAME; each of their rows is a record, with types by
what is in them. let NAME = EXPRESSION names an expression. fn, record, const, mod
and use declare, and replace what had the name. Anything else is an expression, which
is run over the files that it mentions. :help shows the commands.

On a terminal lines can be edited, names are completed by the tab key, and inputs are
kept for the next time, in the folder of the cache. Ctrl-C ends what runs; Ctrl-D
ends the conversation. Input from a pipe is run up to the first error.`,
		Example: "  godwit repl f=flights.parquet\n  echo 'f.count(|r| r.delay.or(0) > 15)' | godwit repl f=flights.csv",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: action(c.run),
	}
	cmd.Flags().IntVar(&c.threads, "threads", 0, "threads to use (default all processors)")
	choiceFlag(cmd, &c.engine, "engine", godwit.Engines, alternatives(godwit.Engines))
	cmd.Flags().BoolVar(&c.stats, "stats", false, "also print to standard error what each step took, and what it ran on")
	clusterFlag(cmd, &c.cluster)
	return cmd
}

func (c *conversation) run(cmd *cobra.Command, words []string) error {
	if c.threads < 0 {
		return misused("use 1 or more; 0 means all processors", "--threads is %d", c.threads)
	}
	// An interruption ends what runs and not the conversation.
	ctx, stop := signal.NotifyContext(context.WithoutCancel(cmd.Context()), syscall.SIGTERM)
	defer stop()
	c.out, c.errs = cmd.OutOrStdout(), cmd.ErrOrStderr()
	c.runtime = newRuntime()
	defer c.runtime.Close()
	defer func() {
		if c.remote != nil {
			c.remote.Close()
		}
	}()
	if err := c.begin(ctx, words); err != nil {
		return err
	}
	lines, end := c.lines(cmd)
	defer end()
	for ctx.Err() == nil {
		input, err := c.read(lines)
		switch {
		case errors.Is(err, liner.ErrPromptAborted):
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := c.interruptible(ctx, func(ctx context.Context) error { return c.input(ctx, input) }); errors.Is(err, errQuit) {
			return nil
		} else if err != nil && !c.asked {
			return err
		} else if err != nil {
			fmt.Fprint(c.errs, view.Error(err, view.StyleOf(c.errs)))
		}
	}
	return context.Cause(ctx)
}

// begin makes the session, with the files of the command line.
func (c *conversation) begin(ctx context.Context, words []string) error {
	if _, err := arguments(append([]string{""}, words...)); err != nil {
		return err
	}
	c.session, c.bound = godwit.NewSession(), map[string]string{}
	for _, w := range words {
		name, files, _ := strings.Cut(w, "=")
		if err := c.interruptible(ctx, func(ctx context.Context) error { return c.bind(ctx, name, files) }); err != nil {
			return err
		}
	}
	return nil
}

// options are those of each call.
func (c *conversation) options() []godwit.Option {
	return []godwit.Option{godwit.WithRuntime(c.runtime), godwit.WithThreads(c.threads), godwit.WithEngine(c.engine), godwit.WithCluster(c.remote)}
}

// bind names files, or a data set of the cluster, which is connected with the first of them.
func (c *conversation) bind(ctx context.Context, name, files string) error {
	if files == "-" || strings.HasPrefix(files, "-?") || strings.HasPrefix(files, "-#") {
		return &godwit.InputError{Text: "`" + name + "=" + files + "` is standard input, which is the conversation", Help: "name a file: " + name + "=FILE"}
	}
	if strings.HasPrefix(files, "@") && c.remote == nil {
		r, err := connect(ctx, c.cluster)
		if err != nil {
			return err
		}
		c.remote = r
	}
	said, err := c.session.Bind(ctx, name, godwit.Text(files), c.options()...)
	if err == nil {
		c.bound[name] = files
		c.say(said)
	}
	return err
}

// interruptible runs f until an interruption.
func (c *conversation) interruptible(ctx context.Context, f func(context.Context) error) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	err := within(ctx, func() error { return f(ctx) })
	if err != nil && ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}

// reader gives lines; the prompt is for people.
type reader interface {
	Prompt(prompt string) (string, error)
}

// piped reads lines without prompts.
type piped struct{ *bufio.Scanner }

func (p piped) Prompt(string) (string, error) {
	if p.Scan() {
		return p.Text(), nil
	}
	if err := p.Err(); err != nil {
		return "", fmt.Errorf("standard input: %w", err)
	}
	return "", io.EOF
}

// maxInput is how long a line may be, in bytes.
const maxInput = 16 << 20

// lines begins to read: with editing, completion and the inputs of earlier times on a terminal.
func (c *conversation) lines(cmd *cobra.Command) (reader, func()) {
	in, ok := cmd.InOrStdin().(*os.File)
	if c.asked = ok && view.IsTerminal(in) && view.IsTerminal(c.out) && liner.TerminalSupported(); !c.asked {
		s := bufio.NewScanner(cmd.InOrStdin())
		s.Buffer(nil, maxInput)
		return piped{s}, func() {}
	}
	l := liner.NewLiner()
	l.SetCtrlCAborts(true)
	l.SetTabCompletionStyle(liner.TabPrints)
	l.SetWordCompleter(c.complete)
	path := historyFile()
	if f, err := os.Open(path); err == nil {
		l.ReadHistory(f)
		f.Close()
	}
	fmt.Fprintln(c.out, "godwit "+ownVersion()+"; :help shows what can be written, Ctrl-D ends")
	return kept{l}, func() {
		if f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600); err == nil {
			l.WriteHistory(f)
			f.Close()
		}
		l.Close()
	}
}

// kept is a terminal whose lines are kept.
type kept struct{ *liner.State }

func historyFile() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "godwit", "history")
}

// read reads one input: lines until all brackets are closed.
func (c *conversation) read(lines reader) (string, error) {
	text, prompt := "", "> "
	for {
		line, err := lines.Prompt(prompt)
		if err != nil && (text == "" || !errors.Is(err, io.EOF)) {
			return "", err
		}
		if text += line + "\n"; err != nil || !open(text) {
			break
		}
		prompt = "… "
	}
	text = strings.TrimSpace(text)
	if k, ok := lines.(kept); ok && text != "" && !strings.Contains(text, "//") {
		k.AppendHistory(strings.Join(strings.Fields(text), " "))
	}
	return text, nil
}

// open reports that a bracket has no end yet, outside of text and comments.
func open(text string) bool {
	depth := 0
	for line := range strings.Lines(text) {
		quoted := false
		for i := 0; i < len(line); i++ {
			switch b := line[i]; {
			case quoted && b == '\\':
				i++
			case b == '"':
				quoted = !quoted
			case quoted:
			case strings.HasPrefix(line[i:], "//"):
				i = len(line)
			case strings.IndexByte("([{", b) >= 0:
				depth++
			case strings.IndexByte(")]}", b) >= 0:
				depth--
			}
		}
	}
	return depth > 0
}

var (
	declares = pattern.Of(`^(///|#\[fused\]|(pub|fn|record|const|mod|use)\b)`)
	names    = pattern.Of(`(?s)^let\s+([\p{L}_][\p{L}\p{Nd}_]*)\s*=\s*([^=].*)$`)
	binds    = pattern.Of(`(?s)^([\p{L}_][\p{L}\p{Nd}_]*)\s*=\s*([^=].*)$`)
)

// input does what one input says.
func (c *conversation) input(ctx context.Context, text string) error {
	flat := strings.TrimSuffix(text, ";")
	switch {
	case text == "" || strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "///"):
		return nil
	case strings.HasPrefix(text, ":"):
		return c.command(ctx, text)
	case declares().MatchString(text):
		list, err := c.session.Declare(text)
		if err == nil {
			c.say("declared " + strings.Join(list, ", "))
		}
		return err
	case names().MatchString(flat):
		m := names().FindStringSubmatch(flat)
		return c.session.Let(m[1], m[2])
	case binds().MatchString(flat):
		m := binds().FindStringSubmatch(flat)
		return c.bind(ctx, m[1], strings.TrimSpace(m[2]))
	}
	return c.eval(ctx, flat)
}

// say tells people what was understood; programs that read the output want answers only.
func (c *conversation) say(text string) {
	if c.asked {
		fmt.Fprintln(c.out, text)
	}
}

func (c *conversation) eval(ctx context.Context, expr string) error {
	res, err := c.session.Eval(ctx, expr, c.options()...)
	if err != nil {
		return err
	}
	defer res.Close()
	fmt.Fprintln(c.out, value.Render(res.Value(), rendering(c.out, 0, "take fewer fields, or widen the terminal")))
	if c.stats {
		s := res.Stats()
		fmt.Fprint(c.errs, view.Stats(&s))
	}
	return nil
}
