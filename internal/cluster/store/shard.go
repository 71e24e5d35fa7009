package store

import (
	"bytes"
	"cmp"
	"container/list"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/digest"
	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/data/whole"
)

// File describes a shard's file.
type File struct {
	Set, Shard uint32
	Lo, Hi     int64    // rows of the set
	Bytes      int64    // of the file
	Sum        [32]byte // SHA-256 of the file
}

func (f *File) key() key { return key{f.Set, f.Shard} }

func (f *File) String() string { return fmt.Sprintf("shard %d of set %d", f.Shard, f.Set) }

// Shard is a shard that is here. Row 0 of Source is row Lo of the set. It stays
// readable until Release, even when it is dropped.
type Shard struct {
	File
	Source  data.Parked
	s       *Store
	as      os.FileInfo // tells the file from others
	check   *data.Checked
	file    *os.File      // the source's; nil while it is closed. Guarded by Store.mu, as is
	resting *list.Element // among those that nobody reads
	owner   string        // who has stored it, until Committed; guarded by Store.mu, as is
	readers int           // and one for the store itself; guarded by Store.mu
}

// Shard gives a shard for reading, which the caller must Release. The error is ErrNotHere, a
// *DamageError, or why its file cannot be opened now.
func (s *Store) Shard(set, shard uint32) (*Shard, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.shards[key{set, shard}]
	if !ok {
		return nil, ErrNotHere
	}
	if err := s.reopen(h); err != nil {
		return nil, err
	}
	s.take(h)
	return h, nil
}

// take counts a reader. Called with mu held.
func (s *Store) take(h *Shard) {
	s.busy(h)
	h.readers++
}

// unopened gives a shard like Shard, but its file may be closed.
func (s *Store) unopened(k key) (*Shard, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.shards[k]
	if ok {
		s.take(h)
	}
	return h, ok
}

// File describes a shard that is here.
func (s *Store) File(set, shard uint32) (File, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h, ok := s.shards[key{set, shard}]; ok {
		return h.File, true
	}
	return File{Set: set, Shard: shard}, false
}

// Expect is a *DamageError if a shard is here, and is not the file that it must be: its
// description and its sums may all fit a file that belongs elsewhere.
func (s *Store) Expect(set, shard uint32, sum [32]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.shards[key{set, shard}]
	if !ok || h.Sum == sum {
		return nil
	}
	return h.check.Damage("it is another file: its SHA-256 is %s, the catalogue says %s", digest.Short(h.Sum), digest.Short(sum))
}

// Release ends the reading of a shard.
func (h *Shard) Release() error {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	return h.s.release(h)
}

// release is called with mu held.
func (s *Store) release(h *Shard) error {
	if h.readers--; h.readers > 0 {
		if h.readers == 1 && s.shards[h.key()] == h {
			s.rest(h)
		}
		return nil
	}
	s.busy(h)
	s.used -= h.Bytes
	return h.Source.Close()
}

// Shards lists what is here, by set and shard.
func (s *Store) Shards() []File {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []File
	for _, h := range s.shards {
		out = append(out, h.File)
	}
	slices.SortFunc(out, func(a, b File) int { return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Shard, b.Shard)) })
	return out
}

// Drop forgets a shard, or an upload of it. Its space is free when the last reader
// has released it. What is not here is dropped already.
func (s *Store) Drop(set, shard uint32) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := key{set, shard}
	var err error
	if u := s.uploads[k]; u != nil {
		err = s.abandon(u)
	}
	s.forgetDamaged(k)
	h, ok := s.shards[k]
	if !ok {
		return err
	}
	delete(s.shards, k)
	if !s.opt.Memory {
		err = errors.Join(err, s.unlink(k))
	}
	return errors.Join(err, s.release(h))
}

// unlink removes a shard's files, as far as they are there: the one that makes it count
// before the shard, and before it the sums, which must not be left without it.
func (s *Store) unlink(k key) error {
	dir := s.setDir(k.set)
	err := errors.Join(remove(s.sumsPath(k)), remove(s.sidecar(k)), whole.Sync(dir), remove(s.path(k)))
	_ = os.Remove(dir) // when it was the last one
	return err
}

// remove removes what may not be there, or may be no file.
func remove(path string) error { return os.RemoveAll(path) }

func (s *Store) setDir(set uint32) string {
	return filepath.Join(s.dir, "sets", strconv.FormatUint(uint64(set), 10))
}

// The files of a shard: its rows, what they are, and the sums of their blocks.
const (
	rowsExt = ".arrow"
	sideExt = ".json"
	sumsExt = ".sums"
)

func (s *Store) fileOf(k key, ext string) string {
	return filepath.Join(s.setDir(k.set), strconv.FormatUint(uint64(k.shard), 10)+ext)
}

func (s *Store) path(k key) string     { return s.fileOf(k, rowsExt) }
func (s *Store) sidecar(k key) string  { return s.fileOf(k, sideExt) }
func (s *Store) sumsPath(k key) string { return s.fileOf(k, sumsExt) }

// sidecar is what is written beside a shard. Check is the XXH3 of the same without it;
// an earlier version had none.
type sidecar struct {
	Lo    int64  `json:"lo"`
	Hi    int64  `json:"hi"`
	Bytes int64  `json:"bytes"`
	Sum   string `json:"sha256"`
	Check string `json:"xxh3,omitempty"`
}

func (c sidecar) encode() []byte {
	b, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("store: a sidecar cannot be encoded: %v", err))
	}
	return append(b, '\n')
}

// sum is what Check must be.
func (c sidecar) sum() string {
	c.Check = ""
	return fmt.Sprintf("%016x", xxh3.Hash(c.encode()))
}

func (f *File) sidecar() []byte {
	c := sidecar{Lo: f.Lo, Hi: f.Hi, Bytes: f.Bytes, Sum: hex.EncodeToString(f.Sum[:])}
	c.Check = c.sum()
	return c.encode()
}

func parseSidecar(k key, b []byte) (File, error) {
	var c sidecar
	f := File{Set: k.set, Shard: k.shard}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields() // a name that is damaged must not pass for one of an earlier version
	if err := d.Decode(&c); err != nil {
		return f, fmt.Errorf("its description is damaged: %w", err)
	}
	if c.Check != "" && c.Check != c.sum() {
		return f, fmt.Errorf("its description is damaged: its checksum is %s, expected %.80q", c.sum(), c.Check)
	}
	sum, err := hex.DecodeString(c.Sum)
	if err != nil || len(sum) != len(f.Sum) || c.Lo < 0 || c.Hi < c.Lo || c.Bytes < 0 {
		return f, fmt.Errorf("its description is damaged: rows %d to %d, %d bytes, sum %.80q", c.Lo, c.Hi, c.Bytes, c.Sum)
	}
	f.Lo, f.Hi, f.Bytes, f.Sum = c.Lo, c.Hi, c.Bytes, [32]byte(sum)
	return f, nil
}

// load opens all shards at start. What is not complete is removed, what is
// wrong is set aside.
func (s *Store) load() error {
	sets, err := os.ReadDir(filepath.Join(s.dir, "sets"))
	if err != nil {
		return err
	}
	for _, d := range sets {
		set, err := strconv.ParseUint(d.Name(), 10, 32)
		if err != nil || !d.IsDir() {
			continue
		}
		files, err := os.ReadDir(s.setDir(uint32(set)))
		if err != nil {
			return err
		}
		for _, f := range files {
			if err := s.loadFile(uint32(set), f.Name()); err != nil {
				return err
			}
		}
		_ = os.Remove(s.setDir(uint32(set))) // if nothing is left
	}
	return nil
}

func (s *Store) loadFile(set uint32, name string) error {
	ext := filepath.Ext(name)
	shard, err := strconv.ParseUint(strings.TrimSuffix(name, ext), 10, 32)
	k := key{set, uint32(shard)}
	switch {
	case strings.HasPrefix(name, whole.Temporary): // the rest of an interrupted write
		return remove(filepath.Join(s.setDir(set), name))
	case err != nil:
	case ext == sideExt:
		h, err := s.check(k)
		switch {
		case data.Passing(err):
			return fmt.Errorf("shard %d of set %d: %w", k.shard, k.set, err)
		case err != nil:
			return s.setAside(k, err)
		}
		s.enter(h)
	case ext == rowsExt && missing(s.sidecar(k)):
		if missing(s.sumsPath(k)) {
			return remove(s.path(k)) // the process ended while it was sealed
		}
		return s.setAside(k, &undescribed{errors.New("its description is missing")})
	case ext == sumsExt && missing(s.sidecar(k)):
		return remove(s.sumsPath(k))
	}
	return nil
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, os.ErrNotExist)
}

// maxSidecar is more than any description has, in bytes.
const maxSidecar = 4 << 10

// describe reads a shard's description.
func (s *Store) describe(k key) (File, error) {
	b, err := regular.Read(s.sidecar(k), maxSidecar)
	if err != nil {
		return File{}, fmt.Errorf("its description cannot be read: %w", err)
	}
	return parseSidecar(k, b)
}

// check opens a shard and says what is wrong with it.
func (s *Store) check(k key) (*Shard, error) {
	f, err := s.describe(k)
	if err != nil {
		return nil, &undescribed{err}
	}
	file, err := regular.Open(s.path(k))
	if err != nil {
		return nil, err
	}
	st, err := file.Stat()
	if err == nil && st.Size() != f.Bytes {
		err = fmt.Errorf("the file has %d bytes, expected %d", st.Size(), f.Bytes)
	}
	var sums data.Sums
	if err == nil {
		sums, err = s.sumsOf(f, file)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return s.openShard(f, s.path(k), file, sums)
}
