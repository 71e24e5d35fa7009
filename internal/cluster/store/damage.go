package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/godwit-run/godwit/internal/data"
)

// DamageError says that a shard's file is not what was stored.
type DamageError struct {
	File File
	Err  *data.DamageError
}

func (e *DamageError) Error() string { return fmt.Sprintf("%v: %v", &e.File, e.Err) }

func (e *DamageError) Unwrap() error { return e.Err }

// Damage is a shard that was set aside.
type Damage struct {
	Set, Shard uint32
	Block      int64  // -1 if it is not about one
	Path       string // where it is now; empty if it was missing, or could only be removed
	Reason     string
	Time       time.Time
	// Undescribed says that the file may be whole, and what it should be was not known:
	// Restore takes it back.
	Undescribed bool
}

// maxDamage is how many are remembered.
const maxDamage = 256

// ErrNotHere is the error of setting aside what is not here, or not here any more.
var ErrNotHere = errors.New("the shard is not here")

// SetAside takes a shard out of use: it is not given to new readers, does not count, and
// its files go to damaged/, as far as they are there. A reason that is the damage of
// another file than the one that is here now, as of one that was replaced meanwhile, is
// ErrNotHere. It needs no free space.
func (s *Store) SetAside(set, shard uint32, reason error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := key{set, shard}
	h := s.shards[k]
	var d *data.DamageError
	if h == nil || errors.As(reason, &d) && d.Of != h.check {
		return ErrNotHere
	}
	delete(s.shards, k)
	return errors.Join(s.setAside(k, reason), s.release(h))
}

// setAside moves a wrong shard out of the way. Called with mu held, or at start.
func (s *Store) setAside(k key, reason error) error {
	d := Damage{Set: k.set, Shard: k.shard, Block: -1, Reason: reason.Error(), Time: time.Now()}
	if e := (*data.DamageError)(nil); errors.As(reason, &e) {
		d.Block, d.Reason = e.Block, e.What() // Path has the file
	}
	var err error
	if !s.opt.Memory {
		d.Path, err = s.moveAside(k)
	}
	d.Undescribed = d.Path != "" && errors.As(reason, new(*undescribed))
	if s.damaged = append(s.damaged, d); len(s.damaged) > maxDamage {
		s.damaged = slices.Delete(s.damaged, 0, 1)
	}
	return err
}

// moveAside moves a shard's files, the one that makes it count first. What cannot be moved,
// because the directory cannot grow on a full disk, is removed.
func (s *Store) moveAside(k key) (path string, err error) {
	to := filepath.Join(s.damagedDir(), fmt.Sprintf("%d-%d-%d", k.set, k.shard, time.Now().UnixNano()))
	for _, from := range []string{s.sidecar(k), s.sumsPath(k), s.path(k)} {
		name := to + filepath.Ext(from)
		e := os.Rename(from, name)
		switch {
		case e == nil && from == s.path(k):
			path = name
		case e != nil && !errors.Is(e, os.ErrNotExist):
			if e = os.Remove(from); e != nil {
				err = errors.Join(err, e)
			}
		}
	}
	_ = os.Remove(s.setDir(k.set)) // if nothing is left
	return path, err
}

func (s *Store) damagedDir() string { return filepath.Join(s.dir, "damaged") }

// forgetDamaged removes what was set aside of a shard that nobody wants any more.
func (s *Store) forgetDamaged(k key) {
	list, _ := filepath.Glob(filepath.Join(s.damagedDir(), fmt.Sprintf("%d-%d-*", k.set, k.shard)))
	for _, path := range list {
		_ = os.RemoveAll(path)
	}
}

// Damaged lists the shards that were set aside since the store was opened, the last ones
// if they are many.
func (s *Store) Damaged() []Damage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.damaged)
}
