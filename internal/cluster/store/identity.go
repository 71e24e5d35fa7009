package store

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/data/whole"
)

// identity reads the directory's identity, or makes it: 130 random bits or more.
func identity(dir string) (string, error) {
	path := filepath.Join(dir, "identity")
	b, err := regular.Read(path, 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		text := rand.Text()
		return text, whole.Write(path, []byte(text+"\n"), 0o600)
	}
	if err != nil {
		return "", err
	}
	text := strings.TrimSuffix(string(b), "\n")
	if len(text) != len(rand.Text()) {
		return "", fmt.Errorf("%s is damaged: %d characters were expected, found %d; remove it, and the node gets a new identity", path, len(rand.Text()), len(text))
	}
	return text, nil
}
