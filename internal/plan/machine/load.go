package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/data/whole"
)

// Path is where the description of this machine lies, in the user's cache folder.
func Path() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "godwit", "machine.toml"), err
}

// Load reads a description: that of this machine if path is empty, and Default if it was never measured, or
// what was written then cannot be read any more: no run depends on it.
func Load(path string) (*Machine, error) {
	own := path == ""
	if own {
		var err error
		if path, err = Path(); err != nil {
			return Default(), nil
		}
	}
	m, err := read(path)
	if err != nil && own {
		return Default(), nil
	}
	return m, err
}

// Here is what Load gives of this machine, read once.
var Here = sync.OnceValue(func() *Machine {
	m, err := Load("")
	if err != nil {
		return Default()
	}
	return m
})

func read(path string) (*Machine, error) {
	text, _, err := regular.ReadGiven(path, mostText)
	if err != nil {
		return nil, err
	}
	m, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// mostText is more than any description has, in bytes.
const mostText = 1 << 20

// Save writes a description in the place of the one before, which stays if that fails.
func (m *Machine) Save(path string) error {
	text, err := m.Text()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return whole.Write(path, text, 0o600)
}
