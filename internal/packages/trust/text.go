package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/packages/pack"
)

// A list has one form in JSON: all parts are there, in ascending order. Only that of
// certificates, which came later, is left out where it is empty.
type listJSON struct {
	Keys            []keyJSON `json:"keys"`
	RevokedKeys     []keyJSON `json:"revoked_keys"`
	RevokedPackages []string  `json:"revoked_packages"`
	RevokedSerials  []string  `json:"revoked_certificates,omitempty"`
}

type keyJSON struct {
	Key  string `json:"key"`
	Name string `json:"name"`
}

// MarshalJSON gives the canonical form.
func (l List) MarshalJSON() ([]byte, error) {
	out := listJSON{keysJSON(l.Keys), keysJSON(l.Revoked), []string{}, l.Serials}
	for _, id := range l.Packages {
		out.RevokedPackages = append(out.RevokedPackages, id.String())
	}
	return json.Marshal(out)
}

func keysJSON(keys []Key) []keyJSON {
	out := []keyJSON{}
	for _, k := range keys {
		out = append(out, keyJSON{Text(k.Public), k.Name})
	}
	return out
}

// UnmarshalJSON reads the canonical form, white space aside, and refuses anything
// else.
func (l *List) UnmarshalJSON(b []byte) error {
	list, err := parse(b, MaxEntries)
	if err != nil {
		return fmt.Errorf("the list of trust cannot be read: %w", err)
	}
	*l = list
	return nil
}

func parse(b []byte, most int) (l List, err error) {
	var in listJSON
	if err := json.Unmarshal(b, &in); err != nil {
		return l, err
	}
	if l.Keys, err = parseKeys("keys", in.Keys); err != nil {
		return l, err
	}
	if l.Revoked, err = parseKeys("revoked_keys", in.RevokedKeys); err != nil {
		return l, err
	}
	for i, text := range in.RevokedPackages {
		id, err := pack.ParseID(text)
		if err == nil && i > 0 && compareID(l.Packages[i-1], id) >= 0 {
			err = errors.New("expected hashes in ascending order, none twice")
		}
		if err != nil {
			return l, fmt.Errorf("revoked_packages, entry %d: %w", i, err)
		}
		l.Packages = append(l.Packages, id)
	}
	if l.Serials, err = parseSerials(in.RevokedSerials); err != nil {
		return l, err
	}
	for _, k := range l.Keys {
		if _, revoked := find(l.Revoked, k.Public); revoked {
			return l, fmt.Errorf("the key %s is both listed and revoked", Text(k.Public))
		}
	}
	if err := l.within(most); err != nil {
		return l, err
	}
	return l, canonical(l, b)
}

// canonical fails unless b is what l is written as: no field is missing, twice or
// unknown, and nothing is spelled in another way.
func canonical(l List, b []byte) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, b); err != nil {
		return err
	}
	again, err := l.MarshalJSON()
	if err == nil && !bytes.Equal(again, compact.Bytes()) {
		err = errors.New("expected the fields keys, revoked_keys, revoked_packages and, unless it is empty, revoked_certificates as godwit writes them, found others or another spelling")
	}
	return err
}

func parseSerials(in []string) ([]string, error) {
	for i, s := range in {
		if !serials().MatchString(s) {
			return nil, fmt.Errorf("revoked_certificates, entry %d: expected 16 hexadecimal digits, found %.100q", i, s)
		}
		if i > 0 && in[i-1] >= s {
			return nil, fmt.Errorf("revoked_certificates, entry %d: expected serials in ascending order, none twice", i)
		}
	}
	return in, nil
}

func parseKeys(part string, in []keyJSON) (keys []Key, err error) {
	for i, k := range in {
		public, err := Parse(k.Key)
		switch {
		case err != nil:
		case i > 0 && slices.Compare(keys[i-1].Public, public) >= 0:
			err = errors.New("expected keys in ascending order of their bytes, none twice")
		case !names().MatchString(k.Name) && (part == "keys" || k.Name != unnamed):
			err = fmt.Errorf("expected a name of %s, found %.100q", nameRule, k.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, entry %d: %w", part, i, err)
		}
		keys = append(keys, Key{k.Name, public})
	}
	return keys, nil
}

// String is the list for people: a line for each entry with what it is, the name,
// the fingerprint and the text of the key, the hash of the package, or the serial of
// the certificate.
func (l List) String() string {
	if l.Empty() {
		return "nobody is trusted: no package runs; godwit trust add KEY\n"
	}
	wide := 4
	for _, k := range slices.Concat(l.Keys, l.Revoked) {
		wide = max(wide, len(k.Name))
	}
	var b strings.Builder
	for _, part := range []struct {
		what string
		keys []Key
	}{{"trusted", l.Keys}, {"revoked", l.Revoked}} {
		for _, k := range part.keys {
			fmt.Fprintf(&b, "%s  key      %-*s  %s  %s\n", part.what, wide, k.Name, Fingerprint(k.Public), Text(k.Public))
		}
	}
	for _, id := range l.Packages {
		fmt.Fprintf(&b, "revoked  package  %s\n", id.Short())
	}
	for _, s := range l.Serials {
		fmt.Fprintf(&b, "revoked  certificate  %s\n", s)
	}
	return b.String()
}
