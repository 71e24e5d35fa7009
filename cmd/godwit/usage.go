package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// In: a command line. Out: what is wrong with it, in words of this project: all of it leads to
// exitUsage.

// usageError is a command line that is wrong, and what can be done.
type usageError struct{ text, help string }

func (e *usageError) Error() string { return e.text }

// Message lays the error out.
func (e *usageError) Message() *diag.Message { return &diag.Message{Text: e.text, Help: e.help} }

func misused(help, format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...), help}
}

// didYouMean is the help for a word that stands for none of words.
func didYouMean(word string, words []string, otherwise string) string {
	if near := diag.Nearest(word, words); near != "" {
		return "did you mean `" + near + "`?"
	}
	return otherwise
}

// known refuses words that are no command.
func known(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	near := elsewhere[args[0]]
	if !slices.Contains(names, near) {
		near = diag.Nearest(args[0], names)
	}
	if near != "" {
		return fmt.Errorf("there is no command `%s`; did you mean `%s`?", args[0], near)
	}
	return fmt.Errorf("there is no command `%s`", args[0])
}

// elsewhere are words that other programs have for commands.
var elsewhere = map[string]string{
	"remove": "drop", "rm": "drop", "delete": "drop", "del": "drop", "unload": "drop",
	"start": "up", "stop": "down", "ls": "status", "list": "status", "schema": "describe", "info": "describe", "import": "load", "shell": "repl",
}

// helpless finds a word that is no command on a line that asks for help, of which cobra would show that of all commands.
func helpless(root *cobra.Command, args []string) error {
	if !slices.Contains(args, "--help") && !slices.Contains(args, "-h") {
		return nil
	}
	cmd, rest, err := root.Find(args)
	if err != nil || !cmd.HasSubCommands() {
		return nil
	}
	words := slices.DeleteFunc(slices.Clone(rest), func(w string) bool { return strings.HasPrefix(w, "-") })
	if len(words) > 0 && words[0] == "help" {
		return nil
	}
	return known(cmd, words)
}

// masked begins a word that begins with -? and is thereby no flag: standard input, with options. No word of a command line has
// a zero byte.
const masked = "\x00"

// mask keeps such words from being taken for flags; the check of words takes the mask off.
func mask(args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		if strings.HasPrefix(a, "-?") {
			args[i] = masked + a
		}
	}
	return args
}

func unmask(args []string) {
	for i, a := range args {
		args[i] = strings.TrimPrefix(a, masked)
	}
}

// atLeastOne refuses a command line without what the command works on.
func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s is missing: %s", what, cmd.UseLine())
		}
		return nil
	}
}

// atMost refuses more than n words.
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) <= n:
			return nil
		case cmd.HasSubCommands():
			return known(cmd, args)
		}
		return fmt.Errorf("`%s` is more than the command takes: %s", args[n], cmd.UseLine())
	}
}

// one wants exactly one word.
func one(what string) cobra.PositionalArgs { return cobra.MatchAll(atLeastOne(what), atMost(1)) }

// checkFlags has a command look at its flags before its words: those that must be given, and
// those that exclude each other.
func checkFlags(cmd *cobra.Command) {
	words := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		unmask(args)
		var err error
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if err == nil && !f.Changed && f.Annotations[cobra.BashCompOneRequiredFlag] != nil {
				err = fmt.Errorf("--%s is missing: %s", f.Name, cmd.UseLine())
			}
		})
		if err == nil {
			err = excluded(cmd)
		}
		if err == nil && words != nil {
			err = words(cmd, args)
		}
		return err
	}
	for _, c := range cmd.Commands() {
		checkFlags(c)
	}
}

// excluded looks for flags of which only one may be given.
func excluded(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		for _, group := range f.Annotations["cobra_annotation_mutually_exclusive"] {
			for _, other := range strings.Fields(group) {
				if other != f.Name && cmd.Flags().Changed(other) {
					err = fmt.Errorf("--%s and --%s exclude each other", f.Name, other)
				}
			}
		}
	})
	return err
}

// flagError says what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	var none *pflag.NotExistError
	var empty *pflag.ValueRequiredError
	var bad *pflag.InvalidValueError
	var usage *usageError
	switch {
	case errors.As(err, &usage):
		return usage
	case errors.As(err, &none):
		name := none.GetSpecifiedName()
		if none.GetSpecifiedShortnames() != "" {
			return fmt.Errorf("there is no flag `-%s`", name)
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		return misused(didYouMean("--"+name, names, cmd.CommandPath()+" --help"), "there is no flag `--%s`", name)
	case errors.As(err, &empty):
		return fmt.Errorf("--%s needs a value: %s", empty.GetFlag().Name, expectation(empty.GetFlag()))
	case errors.As(err, &bad):
		return fmt.Errorf("--%s is %q: expected %s", bad.GetFlag().Name, bad.GetValue(), expectation(bad.GetFlag()))
	}
	return err
}

// expectation is what a flag takes.
func expectation(f *pflag.Flag) string {
	switch f.Value.Type() {
	case "bool":
		return "true or false"
	case "duration":
		return "a time, such as 500ms, 30s or 5m"
	case "int", "int64":
		return "a whole number"
	case "uint64":
		return "a whole number from 0 on"
	case "float64":
		return "a number"
	}
	return "a text"
}

// choice is the value of a flag that takes one of some words.
type choice struct {
	to    *string
	name  string
	words []string
}

func (c *choice) String() string { return *c.to }
func (c *choice) Type() string   { return "string" }

// Set implements pflag.Value.
func (c *choice) Set(word string) error {
	if !slices.Contains(c.words, word) {
		return misused(didYouMean(word, c.words, "use one of them"), "--%s is `%s`: expected %s", c.name, word, alternatives(c.words))
	}
	*c.to = word
	return nil
}

// choiceFlag adds a flag that takes one of some words, the first of them if it is not given.
func choiceFlag(cmd *cobra.Command, to *string, name string, words []string, usage string) {
	*to = words[0]
	cmd.Flags().Var(&choice{to, name, words}, name, usage)
	complete(cmd, name, words...)
}

// alternatives are words with commas, and "or" before the last.
func alternatives(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return strings.Join(words, "")
}
