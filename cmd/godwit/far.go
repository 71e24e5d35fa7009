package main

import (
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/cluster/site"
	"github.com/godwit-run/godwit/internal/view"
)

// newFar runs a node that stands for far memory. It is one like others: what makes it far is a few fields of its configuration.
func newFar() *cobra.Command {
	cfg := site.NodeConfig{RepairAfter: 30 * time.Second}
	var dir, logLevel string
	var far farFlags
	cmd := &cobra.Command{
		Use:   "far",
		Short: "Hold data sets in the memory of a process that stands for far memory",
		Long: `Run a process that stands for far memory, such as a memory expander or a memory
server, until an interrupt or SIGTERM. It is a node of the cluster in --cluster,
which must run. It holds what godwit load --far stores, in memory, up to --size bytes,
and all of it is gone when the process ends. Programs take it as
NAME=@DATASET, where the parameter is declared @ Far or has no place. Processes of
this machine reach it through shared memory.

--latency holds back all that it sends for so long, as if it were as far away.`,
		Example: "  godwit far --size 8GiB\n  godwit far --size 512MiB --latency 3us --name slow",
		Args:    atMost(0),
		RunE: action(func(cmd *cobra.Command, _ []string) error {
			if err := far.set(cmd, &cfg); err != nil {
				return err
			}
			level := slog.LevelWarn
			if err := level.UnmarshalText([]byte(logLevel)); err != nil {
				return misused("use debug, info, warn or error", "--log is `%s`", logLevel)
			}
			cfg.Far, cfg.Children = true, children()
			cfg.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
			cfg.Scrub.Rate, cfg.Scrub.Pause = 16<<20, time.Hour
			if err := cfg.Join(dir); err != nil {
				return err
			}
			cfg.Ready = func(d *daemon.Daemon) {
				fmt.Fprintf(cmd.OutOrStdout(), "far memory %s, node %d, has %s at %s; interrupt to end it, and all that it holds\n", cfg.Name, d.Peer(), view.Bytes(cfg.Size), cfg.Listen)
			}
			return site.RunNode(cmd.Context(), cfg)
		}),
	}
	f := cmd.Flags()
	clusterFlag(cmd, &dir)
	f.StringVar(&cfg.Name, "name", "far", "the node's name, unique in the cluster")
	f.StringVar(&cfg.Listen, "listen", "", "HOST:PORT for parcels (default a free port of 127.0.0.1)")
	f.BoolVar(&cfg.NoRings, "no-rings", false, "talk to nodes and clients on this machine as to others, and not through shared memory")
	f.StringVar(&cfg.Metrics, "metrics", "", "HOST:PORT of the Prometheus endpoint /metrics; none if empty")
	f.IntVar(&cfg.Threads, "threads", 0, "threads to use (default all processors)")
	f.StringVar(&logLevel, "log", "warn", "debug (every parcel, with its trace), info, warn or error")
	far.add(cmd)
	_ = cmd.MarkFlagRequired("size")
	return cmd
}

// farFlags are those of far memory.
type farFlags struct {
	size    string
	latency time.Duration
}

func (l *farFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.size, "size", "", "the most that it holds, as 8GiB or 500MB")
	cmd.Flags().DurationVar(&l.latency, "latency", 0, "hold back all that it sends for so long, to emulate a longer way, as 2us")
}

// mostLatency is the longest way that is emulated: peers take a node that is silent for longer for dead.
const mostLatency = time.Second

func (l *farFlags) set(cmd *cobra.Command, cfg *site.NodeConfig) error {
	if l.latency < 0 || l.latency > mostLatency {
		return misused(fmt.Sprintf("use 0 to %v", mostLatency), "--latency is %v", l.latency)
	}
	cfg.Latency = l.latency
	if !cmd.Flags().Changed("size") {
		return nil
	}
	n, ok := parseBytes(l.size)
	if !ok || n <= 0 {
		return misused("use a number of bytes above 0 with or without a unit, as 8GiB, 512MiB or 500MB", "--size is `%s`", l.size)
	}
	cfg.Size = n
	return nil
}

// byteUnits are those of sizes.
var byteUnits = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1},
}

// parseBytes reads a number of bytes.
func parseBytes(s string) (int64, bool) {
	for _, u := range byteUnits {
		digits, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		x, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if n := x * u.bytes; err == nil && n >= 0 && n < 1<<62 {
			return int64(n), true
		}
		return 0, false
	}
	return 0, false
}
