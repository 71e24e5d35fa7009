package control

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// A member whose records are gone is replaced by a new one of the same name at the same
// address: its folder is set aside, the others remove it and add the new one as a learner,
// which gets its vote when it has caught up.
//
// The others' majority does all of it, so nothing happens without them. The old member never
// comes back: with an empty log under its old number it could vote against what it had
// agreed to. One member at a time is replaced: who does it holds a lock in the records, and a
// learner that another one has left is waited for.
const (
	replaceWithin = 10 * time.Second
	replaceAgain  = 2 * time.Second // between tries: etcd wants the others to have been connected for 5 s
	replaceLease  = 30 * time.Second
	askMembers    = time.Second
	replacingKey  = root + "control/replacing"
	replacedKey   = root + "control/replaced/" // + name: Replaced
)

// Replaced is what is remembered of the last time that a member was replaced.
type Replaced struct {
	Time   time.Time `json:"time"`
	Reason string    `json:"reason"`
	Folder string    `json:"folder"` // where the old records are; empty if there were none
}

// replacement replaces one member.
type replacement struct {
	cfg Config
	why error
	log *slog.Logger
}

// replace gives the cluster that the new member has to join.
func (r *replacement) replace(ctx context.Context) (joins map[string]string, err error) {
	if len(r.cfg.Cluster) < 2 {
		return nil, &AloneError{r.cfg.Dir, r.why}
	}
	ctx, cancel := context.WithTimeout(ctx, replaceWithin)
	defer cancel()
	e, err := r.others(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = e.close() }()
	members, err := r.members(ctx, e)
	if err != nil {
		return nil, err
	}
	own := slices.IndexFunc(members, r.isOwn)
	if i := slices.IndexFunc(members, func(m *pb.Member) bool { return !r.isOwn(m) && (m.IsLearner || m.Name == "") }); i >= 0 {
		return nil, fmt.Errorf("another member of the control, at %v, is being replaced: this one comes after it", members[i].PeerURLs)
	}
	unlock, err := r.lock(ctx, e)
	if err != nil {
		return nil, err
	}
	defer unlock()
	folder, err := setAside(r.cfg.Dir)
	if err != nil {
		return nil, fmt.Errorf("the damaged records cannot be set aside: %w", err)
	}
	if own >= 0 {
		if _, err := ask(ctx, e, func(ctx context.Context, c *clientv3.Client) (*clientv3.MemberRemoveResponse, error) {
			return c.MemberRemove(ctx, members[own].ID)
		}); err != nil {
			return nil, fmt.Errorf("the other members do not remove the old one: %w", err)
		}
	}
	if members, err = r.add(ctx, e); err != nil {
		return nil, err
	}
	r.remember(ctx, e, folder)
	return r.joins(members), nil
}

// AloneError says that the records of the only member are gone.
type AloneError struct {
	Dir string
	Why error
}

func (e *AloneError) Error() string {
	return fmt.Sprintf("%v. The cluster has no other member of the control, so the list of its nodes, of its data sets and of who is trusted is lost; the data sets' files in the nodes' data are not. "+
		"Put a copy of the folder back; or move away %s and %s and start again: the cluster then begins with empty records, and data sets have to be loaded again", e.Why, e.Dir, formedMark(e.Dir))
}

// others connects with the other members. Where clients reach them they say at the addresses
// at which members do.
func (r *replacement) others(ctx context.Context) (*etcd, error) {
	var config *tls.Config
	if r.cfg.Identity != "" {
		id, err := identity.Load(r.cfg.Identity)
		if err != nil {
			return nil, err
		}
		config = id.Client("")
	}
	e := &etcd{tls: config, log: zap.New(slogCore{to: r.log}, zap.IncreaseLevel(zap.ErrorLevel))}
	var errs []error
	for name, at := range r.cfg.Cluster {
		if name != r.cfg.Name {
			urls, err := clientURLs(ctx, e.scheme()+at, config)
			errs = append(errs, err, e.add(urls...))
		}
	}
	if len(e.each) == 0 {
		return nil, fmt.Errorf("no other member of the control answers: %w", errors.Join(errs...))
	}
	return e, nil
}

func clientURLs(ctx context.Context, peer string, config *tls.Config) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, askMembers)
	defer cancel()
	transport := &http.Transport{TLSClientConfig: config}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, peer+"/members", nil)
	if err != nil {
		return nil, err
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var members []struct {
		ClientURLs []string `json:"clientURLs"`
		PeerURLs   []string `json:"peerURLs"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(nil, res.Body, 1<<20)).Decode(&members); err != nil {
		return nil, fmt.Errorf("%s: a list of members was expected: %w", peer, err)
	}
	var urls []string
	for _, m := range members {
		if slices.Contains(m.PeerURLs, peer) {
			urls = append(urls, m.ClientURLs...)
		}
	}
	return urls, nil
}

// members are those that a majority agrees on.
func (r *replacement) members(ctx context.Context, e *etcd) ([]*pb.Member, error) {
	l, err := ask(ctx, e, func(ctx context.Context, c *clientv3.Client) (*clientv3.MemberListResponse, error) {
		return c.MemberList(ctx)
	})
	if err != nil {
		return nil, fmt.Errorf("the other members of the control have no majority without this one: start them first; if their records are gone, too, put copies of their folders back: %w", err)
	}
	return l.Members, nil
}

func (r *replacement) isOwn(m *pb.Member) bool {
	return m.Name == r.cfg.Name || m.Name == "" && slices.Contains(m.PeerURLs, r.peerURL())
}

func (r *replacement) peerURL() string {
	scheme := "http"
	if r.cfg.Identity != "" {
		scheme = "https"
	}
	return scheme + "://" + r.cfg.Peer
}

// lock keeps others from replacing a member at the same time.
func (r *replacement) lock(ctx context.Context, e *etcd) (unlock func(), err error) {
	lease, err := e.grant(ctx, replaceLease)
	if err != nil {
		return nil, err
	}
	unlock = func() { _ = e.revoke(context.WithoutCancel(ctx), lease) }
	done, _, err := e.commit(ctx, []condition{{key: replacingKey}}, []change{{replacingKey, []byte(r.cfg.Name), lease}})
	if err == nil && !done {
		err = errors.New("another member of the control is being replaced: this one comes after it")
	}
	if err != nil {
		unlock()
		return nil, err
	}
	return unlock, nil
}

func (r *replacement) add(ctx context.Context, e *etcd) ([]*pb.Member, error) {
	a, err := ask(ctx, e, func(ctx context.Context, c *clientv3.Client) (*clientv3.MemberAddResponse, error) {
		return c.MemberAddAsLearner(ctx, []string{r.peerURL()})
	})
	if err != nil {
		return nil, fmt.Errorf("the other members do not add a new one: %w", err)
	}
	return a.Members, nil
}

func (r *replacement) joins(members []*pb.Member) map[string]string {
	out := map[string]string{}
	for _, m := range members {
		name := m.Name
		if r.isOwn(m) {
			name = r.cfg.Name
		}
		for _, url := range m.PeerURLs {
			_, out[name], _ = strings.Cut(url, "://")
		}
	}
	return out
}

func (r *replacement) remember(ctx context.Context, e *etcd, folder string) {
	text, _ := json.Marshal(Replaced{time.Now().UTC().Truncate(time.Second), r.why.Error(), folder}) // never fails
	_, _, err := e.commit(ctx, nil, []change{{key: replacedKey + r.cfg.Name, value: text}})
	r.log.Warn("the control's member is replaced: the others have removed the old one and added a new one", "member", r.cfg.Name, "why", r.why, "old records", cmp.Or(folder, "none"), "noted", err == nil)
}

// setAside moves a folder of damaged records out of the way and gives its new name. The last
// one is kept, for who wants to look at it; what has no records is removed.
func setAside(dir string) (string, error) {
	logs, err := segments(logDir(dir))
	_, none := os.Lstat(database(dir))
	if err == nil && len(logs) == 0 && errors.Is(none, fs.ErrNotExist) {
		return "", os.RemoveAll(dir)
	}
	older, _ := filepath.Glob(dir + damagedSuffix + "*") // those that are not found stay
	_ = os.Remove(filepath.Join(dir, "ballast"))         // what cannot be removed goes along
	to := dir + damagedSuffix + time.Now().UTC().Format("20060102-150405.000")
	if err := os.Rename(dir, to); err != nil {
		return "", err
	}
	for _, o := range older {
		_ = os.RemoveAll(o) // the next time
	}
	return to, nil
}

const damagedSuffix = ".damaged-"
