package site

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// Issue makes a certificate for a client or an administrator and gives the directory that
// has it: client or admin for those names, clients/NAME or admins/NAME for others. Who
// gets one needs cluster.json, and this directory under the name client or admin.
func (s *Site) Issue(role identity.Role, name string) (dir string, err error) {
	a, err := identity.Open(filepath.Join(s.Dir, "authority"))
	if err != nil {
		return "", err
	}
	id, err := a.Issue(role, name, valid)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(s.Dir, role.String()+"s", name)
	if name == role.String() {
		dir = filepath.Join(s.Dir, name)
	}
	return dir, id.Save(dir)
}

// IssueMissing issues the identities that every cluster's directory has, as far as they
// are not there: older versions made no administrator's.
func (s *Site) IssueMissing() error {
	for role, dir := range map[identity.Role]string{identity.Client: ClientDir, identity.Admin: AdminDir} {
		_, err := os.Lstat(filepath.Join(s.Dir, dir, identity.IdentityFile))
		if errors.Is(err, fs.ErrNotExist) {
			_, err = s.Issue(role, dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Until is when the certificate in a directory ends.
func Until(dir string) (time.Time, error) {
	id, err := identity.Load(dir)
	if err != nil {
		return time.Time{}, err
	}
	return id.Until(), nil
}
