// Package trust is what an operator trusts and has revoked: signing keys, packages,
// certificates. Nothing is allowed to run that is not listed; the
// zero List allows nothing.
//
// Revoking is for ever. So lists merge by union, in any order and any number of
// times with the same result, and a stale list never brings back what was revoked.
// A Ledger keeps all revocations that a machine ever saw on its own disk.
package trust

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"

	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/pattern"
)

// What the errors of Allows wrap, beside pack.ErrUnsigned and pack.ErrSignature.
var (
	ErrStranger       = errors.New("signed by a key that is not trusted")
	ErrRevokedKey     = errors.New("signed by a key that was revoked")
	ErrRevokedPackage = errors.New("the package was revoked")
)

// MaxEntries is how many entries each of the four parts of a List may have. The fullest
// list fits into a request to etcd, of 1.5 MiB.
const MaxEntries = 4096

// Key is a public key under the name that the operator gave it.
type Key struct {
	Name   string
	Public ed25519.PublicKey
}

// List is what is trusted. It is a value: operations give a new List and leave the
// old one as it is. All parts are in ascending order, by key or by hash, none twice,
// and a revoked key is not in Keys.
type List struct {
	Keys     []Key
	Revoked  []Key
	Packages []pack.ID // revoked
	Serials  []string  // of revoked certificates: 16 hexadecimal digits, see identity.Serial
}

// Allows says why a package may not run, nil if it may: its signature is verified,
// its signer listed, neither its signer nor its hash revoked.
func (l List) Allows(p *pack.Package) error {
	if err := p.Check(); err != nil {
		return err
	}
	id, err := p.ID()
	if err != nil {
		return err
	}
	return l.Permits(p.Name, id, p.Signer)
}

// Permits is Allows for a package whose signature has been verified before: what
// has to be asked again at each run, because the list may have changed.
func (l List) Permits(name string, id pack.ID, signer ed25519.PublicKey) error {
	fail := func(reason error, help string) error {
		return fmt.Errorf("package %s (%s): %w; %s", name, id.Short(), reason, help)
	}
	if _, revoked := slices.BinarySearchFunc(l.Packages, id, compareID); revoked {
		return fail(ErrRevokedPackage, "ask who made it for a newer one")
	}
	if i, revoked := find(l.Revoked, signer); revoked {
		return fail(fmt.Errorf("%w (%s, %s)", ErrRevokedKey, l.Revoked[i].Name, Fingerprint(signer)), "have it signed with another one")
	}
	if _, listed := find(l.Keys, signer); !listed {
		return fail(fmt.Errorf("%w (%s)", ErrStranger, Fingerprint(signer)), "if you trust its owner: godwit trust add "+Text(signer))
	}
	return nil
}

// Add lists a key. A key that is listed already gets the new name. A name that
// another key has, and a key that was revoked, are errors.
func (l List) Add(name string, key ed25519.PublicKey) (List, error) {
	switch i := slices.IndexFunc(l.Keys, func(k Key) bool { return k.Name == name }); {
	case !names().MatchString(name):
		return l, fmt.Errorf("%.100q cannot be the name of a key: expected %s", name, nameRule)
	case len(key) != ed25519.PublicKeySize:
		return l, fmt.Errorf("expected an ed25519 key of %d bytes, found %d", ed25519.PublicKeySize, len(key))
	case i >= 0 && !l.Keys[i].Public.Equal(key):
		return l, fmt.Errorf("the name %s is taken by the key %s: choose another one", name, Fingerprint(l.Keys[i].Public))
	}
	if _, revoked := find(l.Revoked, key); revoked {
		return l, fmt.Errorf("the key %s was revoked, which is for ever: make a new one with godwit keygen", Fingerprint(key))
	}
	l.Keys = insert(without(l.Keys, key), Key{name, bytes.Clone(key)})
	return l, l.small()
}

// Revoke revokes what the text says: a key in text form, the name of a listed key, or
// the hash of a package. It need not be listed. Revoking again changes nothing.
func (l List) Revoke(text string) (List, error) {
	if key, err := Parse(text); err == nil {
		return l.RevokeKey(key)
	}
	if id, err := pack.ParseID(text); err == nil {
		return l.RevokePackage(id)
	}
	var found []Key
	for _, k := range l.Keys {
		if k.Name == text {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 1:
		return l.RevokeKey(found[0].Public)
	case 0:
		return l, fmt.Errorf("%.100q is nothing to revoke: expected a key (gwk1…), the name of a listed key, or the hash of a package (64 hexadecimal digits)", text)
	}
	return l, fmt.Errorf("%d keys have the name %s: revoke one by its text (gwk1…), which godwit trust list shows", len(found), text)
}

// RevokeKey revokes a key: no package that it signed runs any more.
func (l List) RevokeKey(key ed25519.PublicKey) (List, error) {
	if len(key) != ed25519.PublicKeySize {
		return l, fmt.Errorf("expected an ed25519 key of %d bytes, found %d", ed25519.PublicKeySize, len(key))
	}
	if _, again := find(l.Revoked, key); again {
		return l, nil
	}
	revoked := Key{unnamed, bytes.Clone(key)}
	if i, listed := find(l.Keys, key); listed {
		revoked.Name = l.Keys[i].Name
	}
	l.Revoked = insert(l.Revoked, revoked)
	l.Keys = without(l.Keys, key)
	return l, l.small()
}

// RevokePackage revokes a package, whoever signed it.
func (l List) RevokePackage(id pack.ID) (List, error) {
	i, again := slices.BinarySearchFunc(l.Packages, id, compareID)
	if again {
		return l, nil
	}
	l.Packages = slices.Insert(slices.Clone(l.Packages), i, id)
	return l, l.small()
}

// RevokeCertificate revokes a certificate, and what it is renewed to: nobody in the
// cluster talks with its owner.
func (l List) RevokeCertificate(serial string) (List, error) {
	if !serials().MatchString(serial) {
		return l, fmt.Errorf("%.100q cannot be the serial of a certificate: expected 16 hexadecimal digits", serial)
	}
	i, again := slices.BinarySearch(l.Serials, serial)
	if again {
		return l, nil
	}
	l.Serials = slices.Insert(slices.Clone(l.Serials), i, serial)
	return l, l.small()
}

// RevokedCertificate says whether a certificate of this serial was revoked.
func (l List) RevokedCertificate(serial string) bool {
	_, revoked := slices.BinarySearch(l.Serials, serial)
	return revoked
}

// Merge gives all that either list says. What one has revoked stays revoked. Of
// several names of one key it takes the one that comes first in the alphabet.
func (l List) Merge(m List) (List, error) {
	out := l.union(m)
	return out, out.small()
}

func (l List) union(m List) List {
	out := List{Revoked: union(l.Revoked, m.Revoked), Packages: slices.Concat(l.Packages, m.Packages)}
	for _, k := range union(l.Keys, m.Keys) {
		i, revoked := find(out.Revoked, k.Public)
		switch {
		case !revoked:
			out.Keys = append(out.Keys, k)
		case compareNames(k.Name, out.Revoked[i].Name) < 0:
			out.Revoked[i].Name = k.Name
		}
	}
	slices.SortFunc(out.Packages, compareID)
	out.Packages = slices.Compact(out.Packages)
	out.Serials = slices.Concat(l.Serials, m.Serials)
	slices.Sort(out.Serials)
	out.Serials = slices.Compact(out.Serials)
	return out
}

// Revocations is the list without the keys that are trusted.
func (l List) Revocations() List {
	l.Keys = nil
	return l
}

// Lacks gives the revocations of an older list that this one does not have. Who
// writes a list that lacks some brings back what was revoked.
func (l List) Lacks(old List) (lost List) {
	for _, k := range old.Revoked {
		if _, has := find(l.Revoked, k.Public); !has {
			lost.Revoked = append(lost.Revoked, k)
		}
	}
	for _, id := range old.Packages {
		if _, has := slices.BinarySearchFunc(l.Packages, id, compareID); !has {
			lost.Packages = append(lost.Packages, id)
		}
	}
	for _, s := range old.Serials {
		if !l.RevokedCertificate(s) {
			lost.Serials = append(lost.Serials, s)
		}
	}
	return lost
}

// Empty says that nothing is trusted or revoked.
func (l List) Empty() bool { return l.longest() == 0 }

func (l List) longest() int {
	return max(len(l.Keys), len(l.Revoked), len(l.Packages), len(l.Serials))
}

// unnamed is the name of a key that was revoked before it was ever listed.
const unnamed = "-"

var serials = pattern.Of(`^[0-9a-f]{16}$`)

var names = pattern.Of(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$`)

const nameRule = "1 to 63 letters, digits, '.', '-', '_' or '@', the first a letter or digit"

func (l List) small() error { return l.within(MaxEntries) }

func (l List) within(most int) error {
	if n := l.longest(); n > most {
		return fmt.Errorf("a list of trust has at most %d entries of a kind, this one would have %d", most, n)
	}
	return nil
}

func compareID(a, b pack.ID) int { return bytes.Compare(a[:], b[:]) }

func find(keys []Key, key ed25519.PublicKey) (int, bool) {
	return slices.BinarySearchFunc(keys, key, func(k Key, key ed25519.PublicKey) int { return bytes.Compare(k.Public, key) })
}

// insert gives a new slice with a key that is not in keys.
func insert(keys []Key, k Key) []Key {
	i, _ := find(keys, k.Public)
	return slices.Insert(slices.Clone(keys), i, k)
}

// without gives a new slice that lacks a key.
func without(keys []Key, key ed25519.PublicKey) []Key {
	return slices.DeleteFunc(slices.Clone(keys), func(k Key) bool { return k.Public.Equal(key) })
}

// union has each key of either once, with the first of its names.
func union(a, b []Key) []Key {
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(a, b Key) int {
		return cmp.Or(bytes.Compare(a.Public, b.Public), compareNames(a.Name, b.Name))
	})
	return slices.CompactFunc(all, func(a, b Key) bool { return a.Public.Equal(b.Public) })
}

// compareNames puts unnamed last.
func compareNames(a, b string) int {
	if (a == unnamed) != (b == unnamed) {
		return cmp.Compare(b, a) // '-' comes before all that names begin with
	}
	return cmp.Compare(a, b)
}
