package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Path is where the description of this machine lies, in the user's cache folder.
func Path() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "godwit", "machine.toml"), err
}

// Load reads a description: that of this machine if path is empty, and Default if it was never measured.
func Load(path string) (*Machine, error) {
	own := path == ""
	if own {
		var err error
		if path, err = Path(); err != nil {
			return Default(), nil
		}
	}
	text, err := os.ReadFile(path)
	switch {
	case own && errors.Is(err, fs.ErrNotExist):
		return Default(), nil
	case err != nil:
		return nil, err
	}
	m, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Save writes a description in the place of the one before, which stays if that fails.
func (m *Machine) Save(path string) error {
	text, err := m.Text()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".machine-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
