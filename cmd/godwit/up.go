package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/fleet"
	"github.com/godwit-run/godwit/internal/cluster/site"
)

// upping is one godwit up.
type upping struct {
	dir      string
	nodes    int
	ttl      time.Duration
	etcd     []string
	restarts int
	metrics  string
	verbose  bool
	detach   bool
	json     bool
	behind   bool           // it is the one that another godwit up started with --detach
	node     *pflag.FlagSet // those of godwit node, which go to the nodes
	of       *noding        // the same, as a node would read them
}

func newUp() *cobra.Command {
	u := &upping{}
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Start a cluster of nodes on this machine",
		Long: `Start a cluster of nodes on this machine and wait. An interrupt or godwit down
ends all of them; with --detach they run in the background. The cluster's directory
keeps its certificates and data: another godwit up with the same directory brings the
same cluster back. A node that ends unasked is started again.`,
		Example: `  godwit up -n 4
  godwit up -n 4 --cluster /data/cluster --ttl 3s
  godwit up -d && godwit status && godwit down`,
		Args: atMost(0),
		RunE: action(func(cmd *cobra.Command, _ []string) error { return u.run(cmd) }),
	}
	f := cmd.Flags()
	clusterFlag(cmd, &u.dir)
	f.IntVarP(&u.nodes, "nodes", "n", 0, fmt.Sprintf("number of nodes (default as many as the cluster has, %d in a new one)", fleet.DefaultNodes))
	f.DurationVar(&u.ttl, "ttl", control.DefaultTTL, "after which time without a sign of life a node counts as dead; at least 2s")
	f.StringSliceVar(&u.etcd, "etcd", nil, "use an etcd cluster that runs elsewhere, HOST:PORT,..., instead of one beside the nodes")
	f.IntVar(&u.restarts, "restarts", fleet.Restarts, "how often within ten minutes a node is started again that ended unasked; 0 for never")
	f.StringVar(&u.metrics, "metrics", "", "HOST:PORT of the Prometheus endpoint /metrics for all nodes together; none if empty")
	f.BoolVarP(&u.verbose, "verbose", "v", false, "print the nodes' logs")
	f.BoolVarP(&u.detach, "detach", "d", false, "return when the cluster is ready; godwit down ends it")
	f.BoolVar(&u.json, "json", false, "print what happens as JSON, one object a line")
	f.BoolVar(&u.behind, "behind", false, "")
	_ = f.MarkHidden("behind")
	u.node, u.of = nodeFlags(f)
	return cmd
}

// placing are the flags of a node that say which one it is and where; up gives each its own.
const placing = " name dir identity listen advertise metrics control control-peer control-members control-formed authority "

// nodeFlags gives up every flag of node that says how nodes behave. The nodes get those that were set.
func nodeFlags(up *pflag.FlagSet) (*pflag.FlagSet, *noding) {
	shared := pflag.NewFlagSet("node", pflag.ContinueOnError)
	cmd, of := nodeCommand()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !strings.Contains(placing, " "+f.Name+" ") && up.Lookup(f.Name) == nil {
			shared.AddFlag(f)
		}
	})
	up.AddFlagSet(shared)
	return shared, of
}

// changed are the flags that were set, as words of a command line.
func changed(set *pflag.FlagSet, but ...string) (words []string) {
	set.VisitAll(func(f *pflag.Flag) {
		for _, name := range but {
			if f.Name == name {
				return
			}
		}
		if !f.Changed {
			return
		}
		list, many := f.Value.(pflag.SliceValue)
		if !many {
			words = append(words, "--"+f.Name+"="+f.Value.String())
			return
		}
		for _, v := range list.GetSlice() {
			if f.Value.Type() == "stringSlice" { // which is read as a line of CSV
				v = csvLine(v)
			}
			words = append(words, "--"+f.Name+"="+v)
		}
	})
	return words
}

func csvLine(v string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write([]string{v}) // never fails
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// clusterFlag adds --cluster, the directory of a cluster.
func clusterFlag(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "cluster", site.DefaultDir(), "directory of the cluster; GODWIT_CLUSTER is the default if set")
}

func (u *upping) run(cmd *cobra.Command) error {
	if cmd.Flags().Changed("nodes") && (u.nodes < 1 || u.nodes > 64) {
		return misused("use 1 to 64 nodes on one machine", "-n is %d", u.nodes)
	}
	if u.ttl < 2*time.Second {
		return misused("use 2s or more", "--ttl is %s", u.ttl)
	}
	if u.restarts < 0 {
		return misused("use 0 or more", "--restarts is %d", u.restarts)
	}
	if _, err := u.of.config(cmd); err != nil { // which every node would end with
		return err
	}
	if u.detach {
		return u.background(cmd)
	}
	signal.Ignore(syscall.SIGPIPE) // it goes on when nobody reads what it says
	return fleet.Run(cmd.Context(), u.options(cmd))
}

func (u *upping) options(cmd *cobra.Command) fleet.Options {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	opt := fleet.Options{
		Dir: u.dir, Nodes: u.nodes, TTL: u.ttl, Etcd: u.etcd, Restarts: u.restarts, Metrics: u.metrics,
		Program: []string{self, "node"}, Flags: changed(u.node),
		Say: func(e fleet.Event) { u.say(cmd, e) },
	}
	if u.verbose {
		opt.Verbose = cmd.ErrOrStderr()
	}
	if u.behind {
		opt.Log = logOf(u.dir)
	}
	return opt
}

// say prints that the cluster is ready on standard output, and what else happens on
// standard error; as JSON everything goes to standard output.
func (u *upping) say(cmd *cobra.Command, e fleet.Event) {
	switch {
	case u.json:
		_ = printJSON(cmd.OutOrStdout(), &e) // who read it may be gone
	case u.behind: // into the log
		fmt.Fprintln(cmd.ErrOrStderr(), time.Now().UTC().Format(time.RFC3339), e.Text)
	case e.Event == "ready" && e.Node == "":
		fmt.Fprintln(cmd.OutOrStdout(), e.Text+"; interrupt to end them")
	default:
		fmt.Fprintln(cmd.ErrOrStderr(), e.Text)
	}
}
