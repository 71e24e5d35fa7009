package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/front/compile"
)

// target splits FILE[:FUNC]. A function's name may have colons of its own.
func target(s string) (file, fn string) {
	if i := strings.Index(s, ".gw:"); i >= 0 {
		return s[:i+3], s[i+4:]
	}
	if _, err := os.Stat(s); err == nil {
		return s, ""
	}
	file, fn, _ = strings.Cut(s, ":")
	return file, fn
}

// completeTarget completes the file, then its functions, then arguments.
func completeTarget(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		if strings.Contains(typed, ".gw:") {
			return functions(typed), cobra.ShellCompDirectiveNoFileComp
		}
		return []string{"gw"}, cobra.ShellCompDirectiveFilterFileExt
	}
	if strings.Contains(typed, "=") {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return parameters(args), cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

func functions(typed string) []string {
	file, fn := target(typed)
	p, err := godwit.CompileFile(file)
	if err != nil {
		return nil
	}
	var out []string
	for _, name := range p.Funcs() {
		if strings.HasPrefix(name, fn) {
			out = append(out, file+":"+name)
		}
	}
	return out
}

// parameters are those that have no value yet.
func parameters(args []string) []string {
	file, fn := target(args[0])
	p, err := godwit.CompileFile(file)
	if err != nil {
		return nil
	}
	f, err := p.Func(fn)
	if err != nil {
		return nil
	}
	given, _ := compile.ParseArgs(args[1:])
	var out []string
	for _, name := range f.Params() {
		if given[name] == nil {
			out = append(out, name+"=")
		}
	}
	return out
}
