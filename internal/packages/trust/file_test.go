package trust

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestGenerate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ci")
	key, err := Generate(path)
	if err != nil {
		t.Fatal(err)
	}
	private, err := ReadPrivate(path + ".key")
	if err != nil || !key.Equal(private.Public()) {
		t.Errorf("another key, %v", err)
	}
	if public, err := ReadPublic(path + ".pub"); err != nil || !key.Equal(public) {
		t.Errorf("another key, %v", err)
	}
	if info, err := os.Stat(path + ".key"); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	before, _ := os.ReadFile(path + ".key")
	for _, gone := range []string{"", ".pub"} { // either file is enough to refuse
		if gone != "" {
			_ = os.Remove(path + gone)
		}
		if _, err := Generate(path); err == nil || !strings.Contains(err.Error(), "exists already") {
			t.Errorf("without %q: %v", gone, err)
		}
	}
	if after, _ := os.ReadFile(path + ".key"); string(after) != string(before) {
		t.Error("the private key was replaced")
	}
	if _, err := Generate(filepath.Join(path, "no", "where")); err == nil {
		t.Error("wrote where there is no directory")
	}
}

func TestWrongFiles(t *testing.T) {
	dir := t.TempDir()
	block := func(kind string, der []byte) []byte {
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	}
	der, err := x509.MarshalPKCS8PrivateKey(private(1))
	if err != nil {
		t.Fatal(err)
	}
	p256, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	other, err := x509.MarshalPKCS8PrivateKey(p256)
	if err != nil {
		t.Fatal(err)
	}
	good := block("PRIVATE KEY", der)
	for _, c := range []struct {
		name string
		text []byte
		mode os.FileMode
		want string
	}{
		{"right", good, 0o600, ""},
		{"read by the owner alone", good, 0o400, ""},
		{"for the group", good, 0o640, "has the mode 0640"},
		{"for all", good, 0o604, "chmod 600"},
		{"empty", nil, 0o600, "is not a private key: expected one block of PEM"},
		{"a public key", []byte(Text(public(1)) + "\n"), 0o600, "is not a private key"},
		{"a certificate", block("CERTIFICATE", der), 0o600, "expected one block of PEM, PRIVATE KEY"},
		{"two keys", append(good, good...), 0o600, "expected one block"},
		{"damaged", block("PRIVATE KEY", der[:20]), 0o600, "is not a private key"},
		{"of another kind", block("PRIVATE KEY", other), 0o600, "*ecdsa.PrivateKey, expected ed25519"},
		{"too long", make([]byte, maxFile+1), 0o600, "more than 4096 bytes"},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, c.text, c.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, c.mode); err != nil {
			t.Fatal(err)
		}
		key, err := ReadPrivate(path)
		if c.want == "" && (err != nil || !key.Equal(private(1))) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := ReadPublic(filepath.Join(dir, "right")); err == nil || !strings.Contains(err.Error(), "expected a public key") {
		t.Error(err)
	}
	if _, err := ReadPrivate(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Error(err)
	}
}

func TestText(t *testing.T) {
	text := Text(public(1))
	if key, err := Parse(text); err != nil || !key.Equal(public(1)) {
		t.Errorf("%s is read as %x, %v", text, key, err)
	}
	// The last digit stands for four bits of the key and two that are 0.
	wrong := text[:len(text)-1] + string(rune(text[len(text)-1])+1)
	for _, bad := range []string{"", "gwk1", text[4:], text + "=", text + "\n", " " + text, "gwk2" + text[4:], text[:46], wrong} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q is read as a key", bad)
		}
	}
	if f := Fingerprint(public(1)); len(f) != 39 || strings.Count(f, ":") != 7 || f == Fingerprint(public(2)) {
		t.Errorf("fingerprint %s", f)
	}
}
