package trust

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"sync/atomic"

	"github.com/godwit-run/godwit/internal/data/digest"
	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/data/whole"
)

// MaxLedger is how many entries of each kind a Ledger keeps: those of sixteen lists
// that have nothing in common.
const MaxLedger = 16 * MaxEntries

// Ledger is every revocation that a machine ever saw, in a file of its own: what the
// cluster's record says later, or a restart, takes none of them back. It is safe for
// concurrent use.
//
// The file has three lines: what it is, the list in its JSON form, and the SHA-256 of
// both. It is replaced as a whole.
type Ledger struct {
	path string

	mu      sync.Mutex // held while the list is changed and written
	unsaved bool       // the list has what the file has not
	list    atomic.Pointer[List]
}

// maxLedgerBytes is more than a full ledger has.
const maxLedgerBytes = 64 << 20

const (
	ledgerTitle = "godwit revocations 1\n"
	ledgerSum   = "sha256 "
)

// OpenLedger reads a ledger, which is empty if there is no such file.
func OpenLedger(path string) (*Ledger, error) {
	g := &Ledger{path: path}
	b, err := regular.Read(path, maxLedgerBytes)
	if errors.Is(err, fs.ErrNotExist) {
		g.list.Store(&List{})
		return g, nil
	}
	if err != nil {
		return nil, err
	}
	l, err := parseLedger(b)
	if err != nil {
		return nil, fmt.Errorf("the ledger of revocations %s is damaged: %w; put back a copy of it, or the ledger of another node of the cluster; "+
			"if there is none, move it away: what is revoked is then learned again from the cluster's record (godwit trust list), and revocations that are missing there are lost", path, err)
	}
	g.list.Store(&l)
	return g, nil
}

func parseLedger(b []byte) (l List, err error) {
	body, sum, ok := bytes.Cut(b, []byte("\n"+ledgerSum))
	if !ok || !bytes.HasPrefix(b, []byte(ledgerTitle)) {
		return l, fmt.Errorf("expected %q, a list and its sum, found %d bytes of something else", ledgerTitle, len(b))
	}
	if want := sumOf(body); string(sum) != want {
		return l, fmt.Errorf("expected the sum %s, found %q", digest.Cut(want), digest.Cut(string(sum)))
	}
	if l, err = parse(bytes.TrimPrefix(body, []byte(ledgerTitle)), MaxLedger); err == nil && len(l.Keys) > 0 {
		err = errors.New("expected revocations alone, found keys that are trusted")
	}
	return l, err
}

func sumOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:]) + "\n"
}

// List is all revocations.
func (g *Ledger) List() List { return *g.list.Load() }

// Revoked says whether a certificate was revoked. It suits identity.Identity.
func (g *Ledger) Revoked(serial string) bool { return g.list.Load().RevokedCertificate(serial) }

// Lacks gives what is revoked here and not in a list, which somebody wrote.
func (g *Ledger) Lacks(l List) List { return l.Lacks(g.List()) }

// Merge adds the revocations of a list. changed says that there were new ones; they
// hold from now on, also if they could not be written, which is tried again with the
// next Merge.
func (g *Ledger) Merge(l List) (changed bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if changed = !g.List().Lacks(l).Empty(); changed {
		all := g.List().union(l.Revocations())
		if err := all.within(MaxLedger); err != nil {
			return false, fmt.Errorf("the ledger of revocations is full, and the newest are not in it: %w; a new cluster, with another authority, begins with an empty one", err)
		}
		g.list.Store(&all)
		g.unsaved = true
	}
	if g.unsaved {
		if err := g.save(); err != nil {
			return changed, fmt.Errorf("what was revoked holds, but could not be written to %s, and is forgotten if this node ends: %w", g.path, err)
		}
		g.unsaved = false
	}
	return changed, nil
}

func (g *Ledger) save() error {
	b, err := json.Marshal(g.List())
	if err != nil {
		return err
	}
	body := append([]byte(ledgerTitle), b...)
	return whole.Write(g.path, append(body, "\n"+ledgerSum+sumOf(body)...), 0o600)
}
