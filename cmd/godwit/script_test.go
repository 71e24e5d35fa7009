package main

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/godwit-run/godwit/internal/plan/machine"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"godwit": main})
}

// TestScripts runs the binary on every script of testdata/script. With
// UPDATE_SCRIPTS set, the outputs that they compare with are written anew.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition:           condition,
		Cmds:                commands(),
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, ".cache"))
			e.Defer(func() { endClusters(e.WorkDir) })
			return nil
		},
	})
}

// commands are those of the scripts beside the usual ones.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	all := map[string]func(*testscript.TestScript, bool, []string){
		"npy":     writeNPY,
		"table":   writeTable,
		"cut":     cut,
		"tmpfs":   mountSmall,
		"machine": writeMachine,
	}
	maps.Copy(all, clusterCommands())
	maps.Copy(all, packageCommands())
	return all
}

// writeMachine writes a description under a name, as if a machine of middling speed had been measured: machine FILE NAME.
func writeMachine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: machine FILE NAME")
	}
	m := *machine.Default()
	m.Name, m.Measured = args[1], "2026-01-01T00:00:00Z"
	ts.Check(m.Save(ts.MkAbs(args[0])))
}
