package store

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/godwit-run/godwit/data"
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
	Source  data.Source
	s       *Store
	readers int // and one for the store itself; guarded by Store.mu
}

// Shard gives a shard for reading, which the caller must Release.
func (s *Store) Shard(set, shard uint32) (*Shard, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.shards[key{set, shard}]
	if ok {
		h.readers++
	}
	return h, ok
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
		return nil
	}
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

// unlink removes a shard's files, the one that makes it count first.
func (s *Store) unlink(k key) error {
	dir := s.setDir(k.set)
	err := errors.Join(os.Remove(s.sidecar(k)), syncDirectory(dir), os.Remove(s.path(k)))
	_ = os.Remove(dir) // when it was the last one
	return err
}

func (s *Store) setDir(set uint32) string {
	return filepath.Join(s.dir, "sets", strconv.FormatUint(uint64(set), 10))
}

func (s *Store) path(k key) string {
	return filepath.Join(s.setDir(k.set), fmt.Sprintf("%d.arrow", k.shard))
}

func (s *Store) sidecar(k key) string {
	return filepath.Join(s.setDir(k.set), fmt.Sprintf("%d.json", k.shard))
}

// sidecar is what is written beside a shard.
type sidecar struct {
	Lo    int64  `json:"lo"`
	Hi    int64  `json:"hi"`
	Bytes int64  `json:"bytes"`
	Sum   string `json:"sha256"`
}

func (f *File) sidecar() []byte {
	b, err := json.Marshal(sidecar{f.Lo, f.Hi, f.Bytes, hex.EncodeToString(f.Sum[:])})
	if err != nil {
		panic(fmt.Sprintf("store: a sidecar cannot be encoded: %v", err))
	}
	return append(b, '\n')
}

func parseSidecar(k key, b []byte) (File, error) {
	var c sidecar
	f := File{Set: k.set, Shard: k.shard}
	if err := json.Unmarshal(b, &c); err != nil {
		return f, fmt.Errorf("its description is damaged: %w", err)
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
	base, ext, _ := strings.Cut(name, ".")
	shard, err := strconv.ParseUint(base, 10, 32)
	k := key{set, uint32(shard)}
	switch {
	case strings.HasPrefix(name, newFile): // the rest of an interrupted write
		return os.Remove(filepath.Join(s.setDir(set), name))
	case err != nil:
	case ext == "json":
		h, err := s.check(k)
		if err != nil {
			return s.setAside(k, err)
		}
		s.shards[k] = h
		s.used += h.Bytes
	case ext == "arrow":
		if _, err := os.Stat(s.sidecar(k)); errors.Is(err, os.ErrNotExist) {
			return os.Remove(s.path(k)) // the process ended while it was sealed
		}
	}
	return nil
}

// check opens a shard and says what is wrong with it.
func (s *Store) check(k key) (*Shard, error) {
	b, err := os.ReadFile(s.sidecar(k))
	if err != nil {
		return nil, err
	}
	f, err := parseSidecar(k, b)
	if err != nil {
		return nil, err
	}
	st, err := os.Stat(s.path(k))
	if err != nil {
		return nil, err
	}
	if st.Size() != f.Bytes {
		return nil, fmt.Errorf("the file has %d bytes, expected %d", st.Size(), f.Bytes)
	}
	if s.opt.Verify {
		if err := verifySum(s.path(k), f.Sum); err != nil {
			return nil, err
		}
	}
	src, err := data.Open(s.path(k))
	if err != nil {
		return nil, err
	}
	return s.newShard(f, src)
}

// newShard checks the rows. It owns the source.
func (s *Store) newShard(f File, src data.Source) (*Shard, error) {
	if src.Rows() != f.Hi-f.Lo {
		err := fmt.Errorf("the file has %d rows, expected %d", src.Rows(), f.Hi-f.Lo)
		return nil, errors.Join(err, src.Close())
	}
	return &Shard{File: f, Source: src, s: s, readers: 1}, nil
}

func verifySum(path string, want [32]byte) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return compareSum(f, want)
}

func compareSum(r io.Reader, want [32]byte) error {
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return err
	}
	if got := h.Sum(nil); [32]byte(got) != want {
		return fmt.Errorf("the file has SHA-256 %x…, expected %x…", got[:6], want[:6])
	}
	return nil
}

// setAside moves a wrong shard out of the way.
func (s *Store) setAside(k key, reason error) error {
	d := Damage{Set: k.set, Shard: k.shard, Reason: reason.Error()}
	dir, err := os.MkdirTemp(filepath.Join(s.dir, "damaged"), fmt.Sprintf("%d-%d-", k.set, k.shard))
	if err != nil {
		return err
	}
	for _, from := range []string{s.path(k), s.sidecar(k)} {
		to := filepath.Join(dir, filepath.Base(from))
		err := os.Rename(from, to)
		if err == nil && from == s.path(k) {
			d.Path = to
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	s.damaged = append(s.damaged, d)
	return nil
}
