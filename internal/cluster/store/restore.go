package store

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/regular"
)

// In: a shard that was set aside because its description was damaged or missing, and what
// the cluster's records say of it. Out: the shard, if its file has the SHA-256 of the records.
// Until then the file stays in damaged/.

// undescribed is the error of a shard whose description says nothing.
type undescribed struct{ err error }

func (e *undescribed) Error() string { return e.err.Error() }
func (e *undescribed) Unwrap() error { return e.err }

// Restore takes a shard back that was set aside for want of a description. One that was not,
// or is here again, or is being stored, is ErrNotHere. What has another SHA-256 is not tried again.
func (s *Store) Restore(f File) error {
	u, path, err := s.beginRestore(f)
	if err != nil {
		return err
	}
	h, err := s.restore(&f, path)
	s.mu.Lock()
	defer s.mu.Unlock()
	dropped := s.uploads[f.key()] != u
	s.forget(u)
	err = errors.Join(err, u.f.Close())
	switch {
	case h == nil:
		return err
	case s.closed:
		return errors.Join(err, h.Source.Close())
	case dropped:
		return errors.Join(err, f.wrong("it was dropped while it was restored"), s.unlink(f.key()), h.Source.Close())
	}
	s.enter(h)
	return err
}

// beginRestore makes an upload of it, which keeps others away.
func (s *Store) beginRestore(f File) (*upload, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.damaged, func(d Damage) bool { return d.Set == f.Set && d.Shard == f.Shard && d.Undescribed })
	if s.closed || i < 0 || s.shards[f.key()] != nil || s.uploads[f.key()] != nil {
		return nil, "", ErrNotHere
	}
	s.damaged[i].Undescribed = false
	file, err := regular.Open(s.damaged[i].Path)
	if err != nil {
		return nil, "", err
	}
	u := &upload{File: f, owner: Itself, f: file, space: f.Bytes, sealing: true}
	u.idle = time.AfterFunc(s.patience(Itself), func() { s.expire(u) })
	s.uploads[f.key()] = u
	s.used += f.Bytes
	return u, s.damaged[i].Path, nil
}

// restore gives a file its place if it is the right one, and otherwise leaves it.
func (s *Store) restore(f *File, path string) (*Shard, error) {
	st, err := os.Lstat(path)
	if err == nil && st.Size() != f.Bytes {
		err = f.wrong("the file that was set aside has %d bytes, expected %d", st.Size(), f.Bytes)
	}
	var sums data.Sums
	if err == nil {
		sums, err = s.try(f, path)
	}
	if err == nil {
		err = s.name(f.key(), path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is not taken back: %w", path, err)
	}
	h, err := s.complete(f, sums)
	if err != nil {
		k := f.key()
		return nil, errors.Join(err, remove(s.sumsPath(k)), remove(s.sidecar(k)), os.Rename(s.path(k), path))
	}
	return h, nil
}
