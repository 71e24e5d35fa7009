package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/data/whole"
)

// Path is where the description of this machine lies, in the user's cache folder.
func Path() (string, error) {
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "godwit", "machine.toml"), err
}

// Load reads a description, which must not be changed: that of this machine if path is empty, and Default if it was never measured, or
// what was written then cannot be read any more: no run depends on it.
func Load(path string) (*Machine, error) {
	ofOurs := path == ""
	if ofOurs {
		var err error
		if path, err = Path(); err != nil {
			return Default(), nil
		}
	}
	m, err := read(path)
	if err != nil && ofOurs {
		return Default(), nil
	}
	return m, err
}

// Here is the machine of this process: what Load gives, read once, or what was adopted.
func Here() *Machine {
	if m := adopted.Load(); m != nil {
		return m
	}
	return own()
}

var adopted atomic.Pointer[Machine]

// Adopt has this process take a description for that of its machine, as one that has just been measured; nil for what Load gives.
func Adopt(m *Machine) { adopted.Store(m) }

var own = sync.OnceValue(func() *Machine {
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
	if last := parsed.Load(); last != nil && last.text == string(text) {
		return last.m, nil
	}
	m, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	parsed.Store(&description{string(text), m})
	return m, nil
}

// description is a text with what it says.
type description struct {
	text string
	m    *Machine
}

// parsed is the description that was read last. Calls that are given the same file get the same Machine, so that what was worked out
// for it is found again.
var parsed atomic.Pointer[description]

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
