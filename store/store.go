// Package store is what a node keeps: the files of its shards, the kernels and
// packages it was sent, and who it is. Nothing else of a node lives longer than its
// process.
//
//	lock               held by the process that uses the directory
//	identity           a random text that tells this directory from all others
//	sets/S/H.arrow     shard H of set S, an Arrow IPC file
//	sets/S/H.json      its rows and its sum; a shard without it does not count
//	uploads/S-H.arrow  a shard that is arriving; removed at start
//	damaged/           shards that were found to be wrong at start
//	compiled/          native code, which package codegen keeps
//	code/HASH.gwk      canonical bytes of kernels, and packages
//
// A shard is there or not: parts go to a file of their own, which gets its name only
// when it is whole, has the expected SHA-256, and is on the disk.
package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Options are those of Open.
type Options struct {
	// Bytes is the most that all shards take, arriving ones included. If zero, it is nine
	// tenths of the free space at start and of what is there; in memory, half
	// of the machine's.
	Bytes int64
	// Code is the most bytes of kernels and packages that are kept; 64 MiB if zero.
	Code int64
	// Uploads is how many shards may be arriving at once; 64 if zero.
	Uploads int
	// Idle is how long an upload may rest before it is given up; 5 min if zero.
	Idle time.Duration
	// Memory keeps shards in memory. They are gone when the process ends.
	Memory bool
	// Verify reads all shards at start and compares them with their sums.
	// Otherwise only lengths and formats are checked.
	Verify bool
}

func (o Options) withDefaults() Options {
	if o.Code <= 0 {
		o.Code = 64 << 20
	}
	if o.Uploads <= 0 {
		o.Uploads = 64
	}
	if o.Idle <= 0 {
		o.Idle = 5 * time.Minute
	}
	return o
}

// Store is a node's directory. It is safe for concurrent use.
type Store struct {
	dir      string
	opt      Options
	lock     *os.File
	identity string
	damaged  []Damage
	code     code

	mu      sync.Mutex // guards what follows
	closed  bool
	used    int64 // bytes of shards and of uploads, as announced
	shards  map[key]*Shard
	uploads map[key]*upload
}

// key names a shard.
type key struct{ set, shard uint32 }

// Damage is a shard that was set aside at start.
type Damage struct {
	Set, Shard uint32
	Path       string // where it is now; empty if it was missing
	Reason     string
}

// ErrClosed is the error of a store that was closed.
var ErrClosed = errors.New("the store is closed")

// LockedError says that another process uses the directory.
type LockedError struct{ Dir, Process string }

func (e *LockedError) Error() string {
	return fmt.Sprintf("the directory %s is in use by process %s: stop that process, or choose another directory", e.Dir, e.Process)
}

// Open makes the directory if need be, removes what was arriving when the last
// process ended, and opens all shards. A damaged shard is no error; see Damaged.
func Open(dir string, opt Options) (*Store, error) {
	s := &Store{dir: dir, opt: opt.withDefaults(), shards: map[key]*Shard{}, uploads: map[key]*upload{}}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) open() (err error) {
	for _, d := range []string{"sets", "damaged", "code", "compiled"} {
		if err := os.MkdirAll(filepath.Join(s.dir, d), 0o755); err != nil {
			return fmt.Errorf("cannot use %s as a node's directory: %w", s.dir, err)
		}
	}
	if s.lock, err = lockDirectory(s.dir); err != nil {
		return err
	}
	if err := os.RemoveAll(s.uploadDir()); err != nil {
		return err
	}
	if err := os.Mkdir(s.uploadDir(), 0o755); err != nil {
		return err
	}
	if s.identity, err = identity(s.dir); err != nil {
		return err
	}
	if err := s.code.open(filepath.Join(s.dir, "code"), s.opt.Code); err != nil {
		return err
	}
	if !s.opt.Memory {
		if err := s.load(); err != nil {
			return err
		}
	}
	if s.opt.Bytes <= 0 {
		s.opt.Bytes, err = s.capacity()
	}
	return err
}

func (s *Store) uploadDir() string { return filepath.Join(s.dir, "uploads") }

// lockDirectory keeps other processes out, until the file is closed.
func lockDirectory(dir string) (*os.File, error) {
	path := filepath.Join(dir, "lock")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("cannot lock %s: %w", path, err)
		}
		process, _ := os.ReadFile(path)
		return nil, &LockedError{dir, fmt.Sprintf("%.20s", process)}
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = fmt.Fprint(f, os.Getpid())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// capacity is the limit where none is configured.
func (s *Store) capacity() (int64, error) {
	if s.opt.Memory {
		var m unix.Sysinfo_t
		if err := unix.Sysinfo(&m); err != nil {
			return 0, fmt.Errorf("cannot tell the size of memory: %w", err)
		}
		return int64(m.Totalram) * int64(m.Unit) / 2, nil
	}
	var d unix.Statfs_t
	if err := unix.Statfs(s.dir, &d); err != nil {
		return 0, fmt.Errorf("cannot tell the free space of %s: %w", s.dir, err)
	}
	return (int64(d.Bavail)*d.Bsize + s.used) / 10 * 9, nil
}

// Identity is a random text that the directory keeps for good. It is a secret:
// with it, a node takes over its own name.
func (s *Store) Identity() string { return s.identity }

// Damaged lists the shards that were set aside when the store was opened.
func (s *Store) Damaged() []Damage { return s.damaged }

// Usage is how many bytes shards take, arriving ones included, and how many they
// may.
func (s *Store) Usage() (used, limit int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.used, s.opt.Bytes
}

// Close gives up what is arriving, closes shards that nobody reads, the others
// with their last reader, and lets other processes use the directory.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	var err error
	for _, u := range s.uploads {
		err = errors.Join(err, s.abandon(u))
	}
	for k, h := range s.shards {
		delete(s.shards, k)
		err = errors.Join(err, s.release(h))
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}
