package main

import (
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/packages/worker"
)

// newChildren are the commands that godwit starts itself, in processes that may die
// without harm to it.
func newChildren() []*cobra.Command {
	return []*cobra.Command{
		newChild("codegen-child", "Compile with LLVM what standard input asks for", codegen.Serve),
		newChild("control-child", "Be a member of etcd for the node at the other end of standard input", control.ServeMember),
		newChild("worker-child", "Run a package for the node at the other end of standard input", worker.Serve),
	}
}

func newChild(use, short string, serve func(io.Reader, io.Writer) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Hidden: true, Args: atMost(0),
		RunE: action(func(*cobra.Command, []string) error { return serve(os.Stdin, os.Stdout) })}
}

// emulatorVariable holds the words that start a program of this architecture, where
// the machine has another one and does not know by itself how to.
const emulatorVariable = "GODWIT_EMULATOR"

// children are their command lines; none where this program cannot be found.
func children() (c site.Children) {
	self, err := os.Executable()
	if err != nil {
		return c
	}
	emulator := strings.Fields(os.Getenv(emulatorVariable))
	words := append(emulator, self)
	child := func(name string) []string { return append(slices.Clip(words), name) }
	return site.Children{Codegen: child("codegen-child"), Worker: child("worker-child"), Control: child("control-child"), Emulated: len(emulator) > 0}
}
