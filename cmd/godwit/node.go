package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/plan/machine"
)

// noding are the flags of a node.
type noding struct {
	cfg      site.NodeConfig
	members  []string
	logLevel string
	measure  bool
	limits   limitFlags
	packages packageFlags
	disk     diskFlags
	far      farFlags
}

func newNode() *cobra.Command {
	cmd, _ := nodeCommand()
	return cmd
}

func nodeCommand() (*cobra.Command, *noding) {
	n := &noding{}
	cmd := &cobra.Command{
		Use:   "node",
		Short: "Run one node of a cluster",
		Long: `Run one node of a cluster until an interrupt or SIGTERM. Its directory has
its identity, as godwit up or godwit cluster writes it, and gets its data.
The cluster's records are kept by etcd: --etcd names its endpoints; or --control
runs a member of an etcd in a process beside this node.`,
		Example: "  godwit node --name n1 --dir /data/n1 --listen 10.0.0.1:7411 --etcd 10.0.0.9:2379",
		Args:    atMost(0),
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			cfg, err := n.config(cmd)
			if err != nil {
				return err
			}
			return site.RunNode(cmd.Context(), cfg)
		}),
	}
	f, cfg := cmd.Flags(), &n.cfg
	f.StringVar(&cfg.Name, "name", "", "the node's name, unique in the cluster (default the host's name)")
	f.StringVar(&cfg.Dir, "dir", "", "the node's directory")
	f.StringVar(&cfg.Identity, "identity", "", "directory of the node's identity (default identity/ in --dir)")
	f.StringVar(&cfg.Listen, "listen", "127.0.0.1:7411", "HOST:PORT for parcels")
	f.StringVar(&cfg.Advertise, "advertise", "", "HOST:PORT under which others reach it (default the one of --listen)")
	f.BoolVar(&cfg.NoRings, "no-rings", false, "talk to nodes and clients on this machine as to others, and not through shared memory")
	f.StringVar(&cfg.Fabric, "fabric", "", "NAME=TRANSPORT:DEVICE,...: talk with nodes of the same fabric over UCX, which neither checks nor encrypts, on these networks that are trusted (tcp:eth1, rc:mlx5_0:1, shm); none if empty")
	f.StringVar(&cfg.Metrics, "metrics", "", "HOST:PORT of the Prometheus endpoint /metrics; none if empty")
	f.StringSliceVar(&cfg.Etcd, "etcd", nil, "HOST:PORT,... of an etcd cluster, or of other members with --control")
	f.StringVar(&cfg.ControlClient, "control", "", "be a member of etcd, for clients at HOST:PORT")
	f.StringVar(&cfg.ControlPeer, "control-peer", "", "with --control: HOST:PORT for other members")
	f.StringSliceVar(&n.members, "control-members", nil, "with --control: NAME=HOST:PORT,... of all members")
	f.BoolVar(&cfg.ControlFormed, "control-formed", false, "with --control: the members exist already, and one without records joins them instead of beginning anew")
	f.DurationVar(&cfg.TTL, "ttl", control.DefaultTTL, "after which time without a sign of life a node counts as dead")
	f.StringVar(&cfg.Authority, "authority", "", "directory of the cluster's authority, with which this node renews certificates; others need none")
	f.DurationVar(&cfg.ViewDeadline, "view-deadline", daemon.ViewDeadline, "how long to work on while etcd does not answer")
	f.BoolVar(&cfg.Memory, "memory", false, "keep data in memory only")
	f.BoolVar(&cfg.Far, "far", false, "stand for far memory: keep data in memory only, and only what godwit load --far stores")
	f.IntVar(&cfg.Threads, "threads", 0, "threads to use (default all processors)")
	f.StringVar(&n.logLevel, "log", "info", "debug (every parcel, with its trace), info, warn or error")
	f.BoolVar(&n.measure, "calibrate", true, "measure the machine once, when the node has had nothing to do for a while, and tell the cluster")
	n.limits.add(cmd)
	n.packages.add(cmd)
	n.disk.add(cmd)
	n.far.add(cmd)
	_ = cmd.MarkFlagRequired("dir")
	return cmd, n
}

// config is what the flags say, which belong to cmd; an error if they do not agree.
func (n *noding) config(cmd *cobra.Command) (cfg site.NodeConfig, err error) {
	cfg = n.cfg
	cfg.Limits, cfg.RepairAfter, cfg.Children = n.limits.limits, n.limits.repair, children()
	n.packages.set(&cfg)
	if n.measure {
		cfg.Calibrate = func(ctx context.Context) (*machine.Machine, error) { return calibrateHere(ctx, func(string) {}) }
	}
	n.disk.set(&cfg)
	if err := n.far.set(cmd, &cfg); err != nil {
		return cfg, err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(n.logLevel)); err != nil {
		return cfg, fmt.Errorf("--log: expected debug, info, warn or error, found %q", n.logLevel)
	}
	cfg.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
	if cfg.ControlMembers, err = memberMap(n.members); err != nil {
		return cfg, err
	}
	return cfg, cfg.Agrees()
}

func memberMap(list []string) (map[string]string, error) {
	m := map[string]string{}
	for _, s := range list {
		name, address, ok := strings.Cut(s, "=")
		if !ok {
			return nil, fmt.Errorf("--control-members: expected NAME=HOST:PORT, found %q", s)
		}
		m[name] = address
	}
	return m, nil
}

// limitFlags are the flags that set a node's limits, and when it makes lost replicas again.
type limitFlags struct {
	limits node.Limits
	repair time.Duration
}

func (l *limitFlags) add(cmd *cobra.Command) {
	d := site.DefaultLimits()
	f := cmd.Flags()
	f.IntVar(&l.limits.Parcels, "max-parcels", d.Parcels, "requests in hand at once; more are told to come back later")
	f.Int64Var(&l.limits.Bytes, "max-bytes", d.Bytes, "bytes of parcels in hand at once")
	f.Int64Var(&l.limits.Steps, "max-steps", d.Steps, "kernel steps of one parcel")
	f.Int64Var(&l.limits.RegionBytes, "max-region-bytes", d.RegionBytes, "bytes of all arrays that one parcel works on")
	f.IntVar(&l.limits.Codes, "max-kernels", d.Codes, "kernels and packages kept compiled")
	f.Int64Var(&l.limits.CodeBytes, "max-code-bytes", d.CodeBytes, "bytes of kernels and packages kept compiled")
	f.IntVar(&l.limits.Calls, "max-calls", d.Calls, "packages running at the same time")
	f.IntVar(&l.limits.Jobs, "max-jobs", d.Jobs, "parcels of each kind worked on at the same time")
	f.IntVar(&l.limits.Spare, "spare-jobs", d.Spare, "more of each kind, for clients of which none is worked on")
	f.IntVar(&l.limits.ClientParcels, "client-parcels", d.ClientParcels, "requests of one client in hand at once; clients with one certificate have twice as many")
	f.Int64Var(&l.limits.ClientBytes, "client-bytes", d.ClientBytes, "bytes of the requests of one client in hand at once; clients with one certificate have twice as many")
	f.IntVar(&l.limits.ClientKernels, "client-kernels", d.ClientKernels, "kernels and packages kept that one client alone uses; clients with one certificate have twice as many")
	f.DurationVar(&l.repair, "repair-after", 30*time.Second, "after which time a lost replica is made again on another node; 0 for never")
	l.limits.Turns, l.limits.Retry = d.Turns, d.Retry
}

// packageFlags are the flags about packages.
type packageFlags struct {
	native, unconfined bool
	exports            []string
	regionBytes        int64
	workerBytes        int64
}

func (p *packageFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.BoolVar(&p.native, "native", false, "run packages that are signed by a key that godwit trust add has listed")
	f.BoolVar(&p.unconfined, "unconfined", false, "with --native: run them without the filter of system calls, where the kernel has none")
	f.StringArrayVar(&p.exports, "export", nil, "with --native: a library whose functions packages may look up, as often as there are some")
	f.Int64Var(&p.regionBytes, "region-bytes", 1<<30, "with --native: bytes of all regions that packages are granted")
	f.Int64Var(&p.workerBytes, "worker-memory", 0, "with --native: bytes that all packages together may hold, between calls too (default 4 GiB, or half of the machine's if that is less)")
}

func (p *packageFlags) set(cfg *site.NodeConfig) {
	cfg.Native, cfg.Unconfined, cfg.Exports, cfg.RegionBytes, cfg.WorkerBytes = p.native, p.unconfined, p.exports, p.regionBytes, p.workerBytes
}
