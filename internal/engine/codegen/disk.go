package codegen

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/data/regular"
)

// key names a result by everything that it depends on.
type key [sha256.Size]byte

func (k key) String() string { return hex.EncodeToString(k[:]) }

// A file of the cache is named by its key in hexadecimal and holds
//
//	magic 8, key 32, length u64 (little endian), SHA-256 of the object 32, object
//
// It is written under another name and renamed, so several daemons may share a
// directory. It is not synced: a file that a power cut damaged is a miss.
const (
	objectMagic = "godwitO\x01"
	headerBytes = len(objectMagic) + 2*sha256.Size + 8
	unfinished  = "new-"
)

// disk keeps objects in a directory, up to a number of bytes.
type disk struct {
	dir   string
	limit int64
	log   *slog.Logger
	open  func() bool // whether the directory may be used; asks once

	mu   sync.Mutex
	used int64 // bytes, as far as this process knows
	puts int
}

func newDisk(dir string, limit int64, log *slog.Logger) *disk {
	d := &disk{dir: dir, limit: limit, log: log}
	d.open = sync.OnceValue(func() bool {
		if dir == "" {
			return false
		}
		err := prepare(dir)
		if err != nil {
			log.Warn("compiled objects are not kept", "err", err)
		}
		return err == nil
	})
	return d
}

// prepare makes the directory. Its objects are run, so whoever writes there runs
// code as this user.
func prepare(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	s, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if s.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s may be written by others (mode %o); expected 700: chmod go-w %s", dir, s.Mode().Perm(), dir)
	}
	return nil
}

func (d *disk) path(k key) string { return filepath.Join(d.dir, k.String()) }

// get finds an object and marks it as used. A damaged one is removed.
func (d *disk) get(k key) ([]byte, bool) {
	if !d.open() {
		return nil, false
	}
	b, err := regular.Read(d.path(k), int64(headerBytes+maxFrame))
	if err != nil && !errors.As(err, new(*regular.LargeError)) {
		return nil, false
	}
	var object []byte
	if err == nil {
		object, err = unwrap(k, b)
	}
	if err != nil {
		d.log.Warn("a compiled object on disk is damaged and was removed", "file", d.path(k), "err", err)
		os.Remove(d.path(k))
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(d.path(k), now, now) // another daemon may have removed it
	return object, true
}

// has reports that there is a file for an object.
func (d *disk) has(k key) bool {
	if !d.open() {
		return false
	}
	st, err := os.Stat(d.path(k))
	return err == nil && st.Mode().IsRegular()
}

func wrap(k key, object []byte) []byte {
	sum := sha256.Sum256(object)
	b := append(make([]byte, 0, headerBytes+len(object)), objectMagic...)
	b = append(b, k[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(object)))
	b = append(b, sum[:]...)
	return append(b, object...)
}

func unwrap(k key, b []byte) ([]byte, error) {
	if len(b) < headerBytes {
		return nil, fmt.Errorf("%d bytes, expected a header of %d", len(b), headerBytes)
	}
	object := b[headerBytes:]
	sum := sha256.Sum256(object)
	rest, ok := strings.CutPrefix(string(b[:headerBytes]), objectMagic+string(k[:]))
	switch {
	case !ok:
		return nil, errors.New("the header is of another version or key")
	case binary.LittleEndian.Uint64([]byte(rest)) != uint64(len(object)):
		return nil, fmt.Errorf("%d bytes of object, expected %d", len(object), binary.LittleEndian.Uint64([]byte(rest)))
	case rest[8:] != string(sum[:]):
		return nil, errors.New("the checksum differs")
	}
	return object, nil
}

// put keeps an object; when it cannot, the next daemon compiles again.
func (d *disk) put(k key, object []byte) {
	if !d.open() {
		return
	}
	if err := d.write(k, object); err != nil {
		d.log.Warn("a compiled object was not kept", "err", err)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.used += int64(headerBytes + len(object))
	// Others may fill the directory too, so it is counted afresh now and then.
	if d.puts%64 == 0 || d.used > d.limit {
		d.evict()
	}
	d.puts++
}

func (d *disk) write(k key, object []byte) error {
	f, err := os.CreateTemp(d.dir, unfinished)
	if err != nil {
		return err
	}
	_, err = f.Write(wrap(k, object))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), d.path(k))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// evict counts the directory and removes what was not used for longest, down to
// three quarters of the limit, and what others left unfinished an hour ago.
func (d *disk) evict() {
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		d.log.Warn("the directory of compiled objects cannot be read", "err", err)
		return
	}
	var files []fs.FileInfo
	d.used = 0
	for _, e := range entries {
		s, err := e.Info()
		if err != nil || !s.Mode().IsRegular() {
			continue
		}
		if strings.HasPrefix(e.Name(), unfinished) {
			if time.Since(s.ModTime()) > time.Hour {
				os.Remove(filepath.Join(d.dir, e.Name()))
			}
		} else if len(e.Name()) == 2*len(key{}) {
			files = append(files, s)
			d.used += s.Size()
		}
	}
	if d.used <= d.limit {
		return
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, s := range files {
		if d.used <= d.limit/4*3 {
			return
		}
		os.Remove(filepath.Join(d.dir, s.Name()))
		d.used -= s.Size()
	}
}
