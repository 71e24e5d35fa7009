package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/packages/pack"
)

// packageCommands are the script commands
//
//	flip FILE BYTE          changes one bit of a byte
//	hash PACKAGE.gwp        sets HASH to the hash of its contents, SHORT to its first digits
//	installed NODE PACKAGE  waits until a node has installed a package and runs one
//	refused ARG...          repeats godwit send until the node has heard that it is not to run that
func packageCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"flip": flip, "hash": hash,
		"installed": func(ts *testscript.TestScript, _ bool, args []string) { rigOf(ts).installed(args) },
		"refused":   func(ts *testscript.TestScript, _ bool, args []string) { rigOf(ts).refused(args) },
	}
}

func flip(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	b, err := os.ReadFile(path)
	ts.Check(err)
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	b[at] ^= 1
	ts.Check(os.WriteFile(path, b, 0o666))
}

func hash(ts *testscript.TestScript, _ bool, args []string) {
	b, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	p, err := pack.Decode(b)
	ts.Check(err)
	id, err := p.ID()
	ts.Check(err)
	ts.Setenv("HASH", id.String())
	ts.Setenv("SHORT", id.Short())
}

func (r *rig) installed(args []string) {
	r.until(settleLimit, args[0]+" runs "+args[1], func() (so bool) {
		r.ask(func(s *nodeStatus) {
			if s.Name == args[0] && s.Report != nil && s.Report.Core.Jobs > 1 { // one is the question
				so = slices.ContainsFunc(s.Report.Packages, func(p daemon.Package) bool { return p.Name == args[1] })
			}
		})
		return so
	})
}

func (r *rig) refused(args []string) {
	r.until(settleLimit, fmt.Sprint("refused: ", args), func() bool {
		said, err := r.command(append([]string{"send"}, args...)...).CombinedOutput()
		return err != nil && bytes.Contains(said, []byte("refused: "))
	})
}
