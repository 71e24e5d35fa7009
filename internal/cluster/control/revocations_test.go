package control

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit/internal/packages/trust"
)

// What was revoked stays so when the file of it vanishes, and is read again when it is back.
func TestRevocationsStay(t *testing.T) {
	t.Parallel()
	const serial, another = "00112233445566aa", "00112233445566bb"
	path := filepath.Join(t.TempDir(), "revoked")
	r := &revocations{path: path}
	check(t, r.read()) // there is none yet
	l := must[*trust.Ledger](t)(trust.OpenLedger(path))
	revoke(t, l, serial)
	check(t, r.read())
	check(t, os.Remove(path))
	if err := r.read(); err == nil || !r.revoked(serial) {
		t.Errorf("without the file the certificate is revoked: %v (%v)", r.revoked(serial), err)
	}
	revoke(t, l, another)
	check(t, r.read())
	if !r.revoked(serial) || !r.revoked(another) {
		t.Error("a file that is back is not read")
	}
}
