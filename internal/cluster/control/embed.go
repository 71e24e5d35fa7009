package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// Config describes a member of the control: one etcd, in this process. Nodes run it in a child. A cluster
// needs one member, or three to survive the loss of one; all members are
// started with the same Cluster.
type Config struct {
	Dir  string // where the member keeps its records
	Name string
	// Client and Peer are host:port at which clients and other members reach
	// this one. It listens there, or on all interfaces if the host is a name.
	// Client is 127.0.0.1:0 if empty; Peer may be empty if there are no others.
	Client, Peer string
	// Cluster has the Peer address of each member by name, this one included.
	// nil means that this one is alone.
	Cluster map[string]string
	// Identity is the directory of a node's identity, by which members know each other, and
	// nodes the member. Only nodes may connect. Empty: no TLS, and anybody may.
	Identity string
	// Ledger is the path of the node's trust.Ledger; may be empty.
	Ledger  string
	Options Options // of connections by Server.Control; Log is the member's, too
	// Ready is how long Embed waits until there is a majority; 30 s if zero.
	Ready time.Duration
	// Quota is how many bytes of records are kept at most; 256 MiB if zero.
	Quota int64
	// Formed says that the cluster exists, so that a member without records must not begin
	// another one beside it.
	Formed bool
	// Joins has the Peer addresses of a cluster that this member was added to and has no records
	// of yet; nil for all others.
	Joins map[string]string

	died func(what string, why error) // see slogCore
}

// What keeps a member small and quick. A cluster's records are a few MiB.
const (
	defragFrom   = 32   // MiB that can be freed by defragmenting at start
	maxTxnOps    = 4096 // a set's transaction has two conditions per node
	defaultQuota = 256 << 20
	stopping     = 20 * time.Second
)

// Server is a member of the control that runs in this process.
type Server struct {
	e    *embed.Etcd
	cfg  Config
	port *ports // nil without TLS
	once sync.Once

	ctx       context.Context // of tend
	cancel    context.CancelFunc
	tending   sync.WaitGroup
	defragged time.Time
	settle    int // small changes that are still to follow the last drop of history
}

// Embed starts a member and waits until it serves: a member of three waits for
// a second one. Stopping ctx stops the waiting.
func Embed(ctx context.Context, cfg Config) (*Server, error) {
	if cfg.Ready <= 0 {
		cfg.Ready = 30 * time.Second
	}
	cfg.Options = cfg.Options.withDefaults()
	c, err := cfg.etcd()
	if err != nil {
		return nil, err
	}
	p, err := cfg.ports(c)
	if err != nil {
		return nil, err
	}
	e, err := embed.StartEtcd(c)
	if err != nil {
		p.close()
		return nil, fmt.Errorf("the control's member %q cannot start in %s, for clients at %s and members at %s: %w", cfg.Name, cfg.Dir, cfg.Client, cfg.Peer, err)
	}
	s := &Server{e: e, cfg: cfg, port: p}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	select {
	case <-e.Server.ReadyNotify():
		s.start(ctx)
		go s.logErrors()
		go s.announce()
		go s.promote()
		return s, nil
	case err = <-e.Err():
		err = fmt.Errorf("the control's member %q stopped: %w", cfg.Name, err)
	case <-time.After(cfg.Ready):
		err = fmt.Errorf("the control's member %q at %s found no majority of its cluster %v in %v: start the other members", cfg.Name, cfg.Peer, cfg.Cluster, cfg.Ready)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	// Close would wait for what begins only when the member is ready.
	e.Server.Stop()
	return nil, errors.Join(err, s.Close())
}

// start looks after the database before anybody needs it, and from then on.
func (s *Server) start(ctx context.Context) {
	first, cancel := context.WithTimeout(ctx, tendAtStart)
	defer cancel()
	if err := s.tidy(first); err != nil { // it is tried again
		s.cfg.Options.Log.Warn("the control's member could not tidy its database", "member", s.cfg.Name, "reason", err)
	}
	s.tending.Go(s.tend)
}

// logErrors takes the errors of etcd's listeners.
func (s *Server) logErrors() {
	for {
		select {
		case err, ok := <-s.e.Err():
			if !ok {
				return
			}
			s.cfg.Options.Log.Error("the control's member failed", "member", s.cfg.Name, "error", err)
		case <-s.e.Server.StopNotify():
			return
		}
	}
}

// Endpoint is where clients reach this member: host:port.
func (s *Server) Endpoint() string {
	if s.port != nil {
		return s.port.client.l.Addr().String()
	}
	return s.e.Clients[0].Addr().String()
}

// Close stops the member. Its records stay.
func (s *Server) Close() error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.once.Do(func() {
			s.cancel()
			s.tending.Wait() // a database that is closed cannot be defragmented
			s.port.close()
			s.e.Close()
		})
	}()
	select {
	case <-done:
		return nil
	case <-time.After(stopping):
		return fmt.Errorf("the control's member %q has not stopped in %v", s.cfg.Name, stopping)
	}
}

// etcd is the configuration in etcd's own terms.
func (cfg *Config) etcd() (*embed.Config, error) {
	if cfg.Client == "" {
		cfg.Client = "127.0.0.1:0"
	}
	if cfg.Peer == "" {
		cfg.Peer = "127.0.0.1:0"
	}
	if cfg.Cluster == nil {
		cfg.Cluster = map[string]string{cfg.Name: cfg.Peer}
	}
	if cfg.Cluster[cfg.Name] != cfg.Peer {
		return nil, &InvalidError{fmt.Sprintf("the cluster %v must have the member %q at %s", cfg.Cluster, cfg.Name, cfg.Peer)}
	}
	if len(cfg.Cluster)%2 == 0 {
		return nil, &InvalidError{fmt.Sprintf("%d members of the control were given: take an odd number, of which a minority may be lost", len(cfg.Cluster))}
	}
	c := embed.NewConfig()
	c.Name, c.Dir = cfg.Name, cfg.Dir
	if err := cfg.addresses(c); err != nil {
		return nil, err
	}
	c.AutoCompactionMode, c.AutoCompactionRetention = embed.CompactorModeRevision, strconv.Itoa(historyKept)
	c.BootstrapDefragThresholdMegabytes = defragFrom
	c.QuotaBackendBytes = cmp.Or(max(cfg.Quota, 0), defaultQuota)
	c.MaxTxnOps = maxTxnOps
	c.EnableGRPCGateway = false
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.New(slogCore{cfg.Options.Log, cfg.died}))
	return c, nil
}

func (cfg *Config) addresses(c *embed.Config) error {
	scheme := "http"
	if cfg.Identity != "" {
		scheme = "https"
		// How to reach other members; how they reach this one is in ports.
		pem := filepath.Join(cfg.Identity, identity.IdentityFile)
		c.PeerTLSInfo = transport.TLSInfo{TrustedCAFile: filepath.Join(cfg.Identity, identity.AuthorityFile), CertFile: pem, KeyFile: pem, ClientCertAuth: true}
	}
	client, err := address(scheme, cfg.Client)
	if err != nil {
		return err
	}
	peer, err := address(scheme, cfg.Peer)
	if err != nil {
		return err
	}
	c.ListenClientUrls, c.AdvertiseClientUrls = []url.URL{anywhere(client)}, []url.URL{client}
	c.ListenPeerUrls, c.AdvertisePeerUrls = []url.URL{anywhere(peer)}, []url.URL{peer}
	var members []string
	cluster := cfg.Cluster
	if cfg.Joins != nil {
		cluster, c.ClusterState = cfg.Joins, embed.ClusterStateFlagExisting
	}
	for _, name := range slices.Sorted(maps.Keys(cluster)) {
		u, e := address(scheme, cluster[name])
		err = errors.Join(err, e)
		members = append(members, name+"="+u.String())
	}
	c.InitialCluster = strings.Join(members, ",")
	return err
}

func address(scheme, at string) (url.URL, error) {
	u, err := url.Parse(scheme + "://" + at)
	if err != nil || u.Port() == "" || u.Path != "" {
		return url.URL{}, &InvalidError{fmt.Sprintf("%q is no address of a control's member: expected host:port", at)}
	}
	return *u, nil
}

// anywhere is where to listen so that u is reached; etcd takes no names there.
func anywhere(u url.URL) url.URL {
	if _, err := netip.ParseAddr(u.Hostname()); err != nil && u.Hostname() != "localhost" {
		u.Host = "0.0.0.0:" + u.Port()
	}
	return u
}
