package trust

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/godwit-run/godwit/internal/packages/pack"
)

// private is the key of a number.
func private(n byte) ed25519.PrivateKey {
	seed := make([]byte, ed25519.SeedSize)
	seed[0] = n
	return ed25519.NewKeyFromSeed(seed)
}

func public(n byte) ed25519.PublicKey { return private(n).Public().(ed25519.PublicKey) }

// signedBy is a package that the key of a number has signed.
func signedBy(t *testing.T, n byte) *pack.Package {
	p := &pack.Package{Name: "f", Sections: []pack.Section{{Arch: "amd64", Form: pack.Object, Bytes: []byte("x")}}}
	if err := p.Sign(private(n)); err != nil {
		t.Fatal(err)
	}
	return p
}

// must makes a list with one operation after the other.
func must(t *testing.T, steps ...func(List) (List, error)) (l List) {
	t.Helper()
	for _, s := range steps {
		var err error
		if l, err = s(l); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

func adding(name string, n byte) func(List) (List, error) {
	return func(l List) (List, error) { return l.Add(name, public(n)) }
}

func revoking(text string) func(List) (List, error) {
	return func(l List) (List, error) { return l.Revoke(text) }
}

func TestAllows(t *testing.T) {
	p := signedBy(t, 1)
	id, err := p.ID()
	if err != nil {
		t.Fatal(err)
	}
	unsigned, forged := *p, *p
	unsigned.Signer, unsigned.Signature = nil, nil
	forged.Signer = public(2)
	for _, c := range []struct {
		name string
		list List
		p    *pack.Package
		want error
		says string
	}{
		{"nobody is trusted by default", List{}, p, ErrStranger, "godwit trust add " + Text(public(1))},
		{"another is trusted", must(t, adding("b", 2)), p, ErrStranger, Fingerprint(public(1))},
		{"trusted", must(t, adding("b", 2), adding("a", 1)), p, nil, ""},
		{"unsigned", must(t, adding("a", 1)), &unsigned, pack.ErrUnsigned, "--key FILE"},
		{"signed by one, in the name of another", must(t, adding("a", 1), adding("b", 2)), &forged, pack.ErrSignature, "changed after it was signed"},
		{"a revoked key", must(t, adding("ann", 1), revoking("ann")), p, ErrRevokedKey, "(ann, " + Fingerprint(public(1)) + "); have it signed with another one"},
		{"a key revoked before it was listed", must(t, revoking(Text(public(1)))), p, ErrRevokedKey, "another one"},
		{"a revoked package of a trusted key", must(t, adding("a", 1), revoking(id.String())), p, ErrRevokedPackage, "ask who made it"},
		{"another package is revoked", must(t, adding("a", 1), revoking(pack.ID{}.String())), p, nil, ""},
		{"both revoked", must(t, revoking(id.String()), revoking(Text(public(1)))), p, ErrRevokedPackage, "newer"},
	} {
		err := c.list.Allows(c.p)
		if !errors.Is(err, c.want) || err != nil && (!strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "package f (")) {
			t.Errorf("%s: %v, want %v and %q", c.name, err, c.want, c.says)
		}
		if c.p == p && !errors.Is(c.list.Permits(p.Name, id, p.Signer), c.want) {
			t.Errorf("%s: asked again: %v", c.name, c.list.Permits(p.Name, id, p.Signer))
		}
	}
}

func TestRefused(t *testing.T) {
	l := must(t, adding("a", 1), adding("b", 2), revoking("b"))
	for _, c := range []struct {
		step func(List) (List, error)
		want string
	}{
		{adding("b", 2), "was revoked, which is for ever"},
		{adding("a", 3), "the name a is taken by the key " + Fingerprint(public(1))},
		{adding("", 3), "cannot be the name of a key"},
		{adding("-", 3), "the first a letter or digit"},
		{adding("a b", 3), "cannot be the name"},
		{adding(strings.Repeat("n", 64), 3), "1 to 63"},
		{func(l List) (List, error) { return l.Add("c", public(3)[:31]) }, "found 31"},
		{func(l List) (List, error) { return l.RevokeKey(nil) }, "found 0"},
		{revoking("nobody"), `"nobody" is nothing to revoke`},
		{revoking("b"), "nothing to revoke"},
		{revoking(""), "nothing to revoke"},
		{revoking(Text(public(1))[:40]), "nothing to revoke"},
	} {
		after, err := c.step(l)
		if err == nil || !strings.Contains(err.Error(), c.want) || !reflect.DeepEqual(after, l) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	two, err := must(t, adding("x", 1)).Merge(must(t, adding("x", 2)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := two.Revoke("x"); err == nil || !strings.Contains(err.Error(), "2 keys have the name x") {
		t.Error(err)
	}
	if renamed := must(t, adding("a", 1), adding("c", 1)); len(renamed.Keys) != 1 || renamed.Keys[0].Name != "c" {
		t.Errorf("%+v", renamed)
	}
}

// A key that one list revoked by its bytes alone has its name from another one, in either order.
func TestMergeNames(t *testing.T) {
	bare, err := List{}.RevokeKey(public(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a, b List
		want string
	}{
		{bare, bare, unnamed},
		{bare, must(t, adding("a", 1), revoking("a")), "a"},
		{must(t, adding("a", 1), revoking("a")), bare, "a"},
		{must(t, adding("b", 1), revoking("b")), must(t, adding("a", 1), revoking("a")), "a"},
	} {
		l, err := c.a.Merge(c.b)
		if err != nil || len(l.Revoked) != 1 || l.Revoked[0].Name != c.want {
			t.Errorf("%s and %s are %s (%v), expected the name %q", c.a, c.b, l, err, c.want)
		}
	}
}

func serial(n byte) string { return fmt.Sprintf("40%014x", n) }

// drawn draws a list by a few operations on few keys.
func drawn(t *rapid.T) (l List) {
	for range rapid.IntRange(0, 8).Draw(t, "steps") {
		var err error
		before, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		old, n := l, rapid.ByteRange(1, 4).Draw(t, "key")
		switch rapid.IntRange(0, 4).Draw(t, "step") {
		case 0, 1:
			l, _ = l.Add(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name"), public(n))
		case 2:
			l, err = l.RevokeKey(public(n))
		case 3:
			l, err = l.RevokePackage(pack.ID{n})
		case 4:
			l, err = l.RevokeCertificate(serial(n))
		}
		if err != nil {
			t.Fatal(err)
		}
		if after, _ := json.Marshal(old); string(after) != string(before) {
			t.Fatalf("an operation changed the old list from %s to %s", before, after)
		}
	}
	return l
}

func text(t *rapid.T, l List, err error) string {
	b, err2 := json.Marshal(l)
	if err = errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestMerge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawn(t), drawn(t), drawn(t)
		ab, err := a.Merge(b)
		if want := text(t, ab, err); want != text2(t, b, a) {
			t.Fatalf("%s merged with %s depends on the order", a, b)
		}
		bc, err := b.Merge(c)
		if err != nil {
			t.Fatal(err)
		}
		if text2(t, ab, c) != text2(t, a, bc) {
			t.Fatalf("%s, %s and %s depend on the grouping", a, b, c)
		}
		if text2(t, ab, a) != text(t, ab, nil) {
			t.Fatalf("%s again into %s changes it", a, ab)
		}
		for n := byte(1); n <= 4; n++ {
			err := ab.Permits("f", pack.ID{n}, public(n))
			for _, l := range []List{a, b} {
				one := l.Permits("f", pack.ID{n}, public(n))
				if (errors.Is(one, ErrRevokedKey) || errors.Is(one, ErrRevokedPackage)) && err == nil {
					t.Fatalf("merging brought back what was revoked: %v", one)
				}
				if l.RevokedCertificate(serial(n)) && !ab.RevokedCertificate(serial(n)) {
					t.Fatalf("merging brought back certificate %s", serial(n))
				}
			}
		}
	})
}

func text2(t *rapid.T, a, b List) string {
	m, err := a.Merge(b)
	return text(t, m, err)
}

func TestJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawn(t)
		want := text(t, l, nil)
		var again List
		if err := json.Unmarshal([]byte(want), &again); err != nil {
			t.Fatal(err)
		}
		if got := text(t, again, nil); got != want {
			t.Fatalf("%s was read as %s", want, got)
		}
	})
}

func TestJSONRefused(t *testing.T) {
	empty, _ := json.Marshal(List{})
	if string(empty) != `{"keys":[],"revoked_keys":[],"revoked_packages":[]}` {
		t.Errorf("the empty list is %s", empty)
	}
	k1, k2 := Text(public(1)), Text(public(2))
	if string(public(1)) > string(public(2)) {
		k1, k2 = k2, k1
	}
	entry := func(key, name string) string { return `{"key":"` + key + `","name":"` + name + `"}` }
	list := func(keys, revoked, packages string) string {
		return `{"keys":[` + keys + `],"revoked_keys":[` + revoked + `],"revoked_packages":[` + packages + `]}`
	}
	certificates := func(all string) string {
		return strings.TrimSuffix(list("", "", ""), "}") + `,"revoked_certificates":[` + all + `]}`
	}
	hash := `"` + strings.Repeat("ab", 32) + `"`
	var l List
	for _, right := range []string{list(entry(k1, "a"), entry(k2, "-"), hash), certificates(`"4000000000000001"`)} {
		if err := json.Unmarshal([]byte(right), &l); err != nil {
			t.Fatalf("what the wrong ones are made of is wrong itself: %v", err)
		}
	}
	for _, c := range []struct{ json, want string }{
		{`[]`, "cannot be read"},
		{`{}`, "expected the fields"},
		{`{"keys":[],"revoked_keys":[]}`, "expected the fields"},
		{`{"keys":null,"revoked_keys":[],"revoked_packages":[]}`, "expected the fields"},
		{`{"keys":[],"revoked_keys":[],"revoked_packages":[],"default":"allow"}`, "expected the fields"},
		{`{"keys":[],"keys":[],"revoked_keys":[],"revoked_packages":[]}`, "expected the fields"},
		{`{"Keys":[],"revoked_keys":[],"revoked_packages":[]}`, "expected the fields"},
		{list(entry(k2, "a")+","+entry(k1, "b"), "", ""), "keys, entry 1: expected keys in ascending order"},
		{list(entry(k1, "a")+","+entry(k1, "a"), "", ""), "none twice"},
		{list(entry(k1, "-"), "", ""), "keys, entry 0: expected a name"},
		{list(entry(k1, ""), "", ""), "expected a name"},
		{list("", entry(k1, ""), ""), "revoked_keys, entry 0: expected a name"},
		{list(entry("gwk1", "a"), "", ""), "expected a public key"},
		{list(entry(k1[4:], "a"), "", ""), "expected a public key"},
		{list(entry(k1+"A", "a"), "", ""), "expected a public key"},
		{list(entry(k1, "a"), entry(k1, "a"), ""), "both listed and revoked"},
		{list("", "", `"abc"`), "revoked_packages, entry 0: expected the hash"},
		{list("", "", hash+","+hash), "entry 1: expected hashes in ascending order"},
		{list("", "", strings.ToUpper(hash)), "another spelling"},
		{certificates(``), "another spelling"},
		{certificates(`"4000"`), "revoked_certificates, entry 0: expected 16 hexadecimal digits"},
		{certificates(`"40000000000000AB"`), "expected 16 hexadecimal digits"},
		{certificates(`"4000000000000001","4000000000000001"`), "entry 1: expected serials in ascending order"},
		{certificates(`"4000000000000002","4000000000000001"`), "none twice"},
	} {
		l := must(t, adding("old", 9))
		if err := json.Unmarshal([]byte(c.json), &l); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.json, err, c.want)
		}
		if len(l.Keys) != 1 || l.Keys[0].Name != "old" {
			t.Errorf("%s: half of it was read: %s", c.json, l)
		}
	}
}

func TestString(t *testing.T) {
	if s := (List{}).String(); !strings.Contains(s, "nobody is trusted") {
		t.Error(s)
	}
	l := must(t, adding("build-server", 1), adding("ann", 2), revoking("ann"), revoking(pack.ID{}.String()),
		func(l List) (List, error) { return l.RevokeCertificate(serial(7)) })
	want := "trusted  key      build-server  " + Fingerprint(public(1)) + "  " + Text(public(1)) + "\n" +
		"revoked  key      ann           " + Fingerprint(public(2)) + "  " + Text(public(2)) + "\n" +
		"revoked  package  000000000000\n" +
		"revoked  certificate  4000000000000007\n"
	if s := l.String(); s != want {
		t.Errorf("found\n%swant\n%s", s, want)
	}
}

func TestEntriesAreLimited(t *testing.T) {
	var l List
	for i := range MaxEntries {
		l.Packages = append(l.Packages, pack.ID{byte(i >> 8), byte(i)})
	}
	if _, err := l.RevokePackage(pack.ID{0xff}); err == nil || !strings.Contains(err.Error(), "at most 4096") {
		t.Error(err)
	}
}

// Records are kept in etcd, which takes requests of 1.5 MiB.
func TestFullestListFits(t *testing.T) {
	var l List
	for i := range MaxEntries {
		key := make([]byte, ed25519.PublicKeySize)
		key[0], key[1] = byte(i>>8), byte(i)
		name := fmt.Sprintf("%063d", i)
		l.Keys = append(l.Keys, Key{name, slices.Concat([]byte{0}, key[:31])})
		l.Revoked = append(l.Revoked, Key{name, slices.Concat([]byte{1}, key[:31])})
		l.Packages = append(l.Packages, pack.ID(key))
		l.Serials = append(l.Serials, fmt.Sprintf("%016x", i))
	}
	b, err := json.Marshal(l)
	if err != nil || len(b) > 3<<19-4096 {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	var again List
	if err := json.Unmarshal(b, &again); err != nil || !reflect.DeepEqual(l, again) {
		t.Errorf("it is not read as it was written: %v", err)
	}
	if _, err := l.RevokeCertificate("ffffffffffffffff"); err == nil || !strings.Contains(err.Error(), "at most 4096") {
		t.Error(err)
	}
}

func FuzzJSON(f *testing.F) {
	for i := range 10 {
		b, err := json.Marshal(rapid.Custom(drawn).Example(i))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var l List
		if json.Unmarshal(b, &l) != nil {
			return
		}
		again, err := json.Marshal(l)
		var m List
		if err == nil {
			err = json.Unmarshal(again, &m)
		}
		if err != nil || !reflect.DeepEqual(l, m) {
			t.Fatalf("%q was read as %s and again as %s: %v", b, l, m, err)
		}
	})
}
