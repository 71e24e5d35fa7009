package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestUpForwardsFlagsOfNode gives up every flag of node that does not say which one it is,
// and its nodes exactly those that were set, with the same values.
func TestUpForwardsFlagsOfNode(t *testing.T) {
	up := newUp()
	newNode().Flags().VisitAll(func(f *pflag.Flag) {
		own := f.Name == "metrics" // of all nodes together
		if has := up.Flags().Lookup(f.Name) != nil; has == strings.Contains(placing, " "+f.Name+" ") && !own {
			t.Errorf("--%s of node: up has it: %v", f.Name, has)
		}
	})
	up.Flags().VisitAll(func(f *pflag.Flag) { f.Changed = false })
	given := []string{"--native", "--export=a,b.so", "--export", `c "d".so`, "--max-jobs=3", "--memory=false", "--log", "debug", "-n", "3", "--ttl=9s", "--restarts=1"}
	if err := up.Flags().Parse(given); err != nil {
		t.Fatal(err)
	}
	node, _ := nodeFlags(pflag.NewFlagSet("", pflag.ContinueOnError)) // for the names alone
	shared := pflag.NewFlagSet("", pflag.ContinueOnError)
	up.Flags().VisitAll(func(f *pflag.Flag) {
		if node.Lookup(f.Name) != nil && f.Name != "ttl" && f.Name != "etcd" {
			shared.AddFlag(f)
		}
	})
	got := changed(shared)
	want := []string{"--export=a,b.so", `--export=c "d".so`, "--log=debug", "--max-jobs=3", "--memory=false", "--native=true"}
	if !slices.Equal(got, want) {
		t.Errorf("forwarded %q, expected %q", got, want)
	}
	// What was forwarded means the same to node as it did to up.
	second := newNode()
	if err := second.Flags().Parse(got); err != nil {
		t.Fatal(err)
	}
	if again := changed(second.Flags()); !slices.Equal(again, want) {
		t.Errorf("node has read %q", again)
	}
	// And up in the background is given all its flags.
	all := changed(up.Flags(), "detach", "json", "cluster")
	for _, w := range []string{"--nodes=3", "--ttl=9s", "--restarts=1", "--native=true"} {
		if !slices.Contains(all, w) {
			t.Errorf("%s is missing in %q", w, all)
		}
	}
}

func TestChangedLists(t *testing.T) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.StringSlice("etcd", nil, "")
	if err := f.Parse([]string{"--etcd", `a:1,b:2`, "--etcd", `"c,d"`}); err != nil {
		t.Fatal(err)
	}
	got := changed(f)
	if want := []string{"--etcd=a:1", "--etcd=b:2", `--etcd="c,d"`}; !slices.Equal(got, want) {
		t.Errorf("found %q, expected %q", got, want)
	}
}
