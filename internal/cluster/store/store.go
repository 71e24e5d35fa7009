// Package store is what a node keeps: the files of its shards, the kernels and
// packages it was sent, and who it is. Nothing else of a node lives longer than its
// process.
//
//	lock               held by the process that uses the directory
//	stopped            there while the last process ended in order
//	known.json         what the node knew of data sets; see package repair
//	identity           a random text that tells this directory from all others
//	sets/S/H.arrow     shard H of set S, an Arrow IPC file
//	sets/S/H.json      its rows and its SHA-256; a shard without it does not count
//	sets/S/H.sums      checksums of its blocks; made again if they are missing
//	uploads/S-H.arrow  a shard that is arriving; removed at start
//	damaged/           files of shards that were found to be wrong, until they are dropped
//	compiled/          native code, which package codegen keeps
//	code/HASH.gwk      canonical bytes of kernels, and packages
//
// A shard is there or not: parts go to a file of their own, which gets its name only
// when it is whole, has the expected SHA-256, and is on the disk. From then on no byte of
// it is used that does not have its checksum: see data.Checked. A shard that was found to
// be damaged is set aside, and is not there any more.
package store

import (
	"container/list"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data/regular"
)

// Options are those of Open.
type Options struct {
	// Bytes is the most that all shards take, arriving ones included. If zero, it is nine
	// tenths of what is free and of what is there; in memory, half of the machine's.
	Bytes int64
	// Reserve is how many bytes of the disk stay free: what would take them is refused.
	// If zero, it is a twentieth of the disk, but no more than 1 GiB; nothing if negative.
	Reserve int64
	// Code is the most bytes of kernels and packages that are kept; 64 MiB if zero.
	Code int64
	// Uploads is how many shards may be arriving at once beside those that the node
	// fetches for itself; 64 if zero, or half of Files if that is less. A quarter of them, and of the space that is free
	// for them, is for one owner, at least one shard.
	Uploads int
	// Idle is how long an upload may go without anything new before it is given up; 1 min
	// if zero. What the node fetches for itself may five times as long.
	Idle time.Duration
	// Rate is how many bytes a second of an upload arrive at least, on the whole, after the
	// first Idle; 256 KiB if zero. What the node fetches for itself has no least rate.
	Rate int64
	// Ahead is how much space an upload has beyond what has arrived of it; 64 MiB if zero.
	Ahead int64
	// Unlisted is how many shards one owner has, complete or arriving, of sets that are not in
	// the catalogue; as many as a set may have, catalog.MaxShards, if zero.
	Unlisted int
	// Files is how many files of shards stay open while nobody reads them; a quarter of what
	// the process may open if zero. Shards in memory, which cannot be closed, are at most twice
	// as many.
	Files int
	// Memory keeps shards in memory. They are gone when the process ends.
	Memory bool
	// Verify reads all shards at start and compares them with their SHA-256. Otherwise
	// their blocks are compared with checksums when they are read.
	Verify bool
}

func (o Options) withDefaults() Options {
	if o.Code <= 0 {
		o.Code = 64 << 20
	}
	if o.Files <= 0 {
		o.Files = descriptors() / 4
	}
	if o.Uploads <= 0 {
		o.Uploads = min(64, max(8, o.Files/2)) // each has its file open
	}
	if o.Idle <= 0 {
		o.Idle = time.Minute
	}
	if o.Rate <= 0 {
		o.Rate = 256 << 10
	}
	if o.Ahead <= 0 {
		o.Ahead = 64 << 20
	}
	if o.Unlisted <= 0 {
		o.Unlisted = catalog.MaxShards
	}
	return o
}

// Store is a node's directory. It is safe for concurrent use.
type Store struct {
	dir      string
	opt      Options
	lock     *os.File
	identity string
	code     code
	opened   bool
	orderly  bool // the process before ended in order
	began    time.Time

	mu       sync.Mutex // guards what follows
	damaged  []Damage
	closed   bool
	used     int64 // bytes of shards and of what is reserved for uploads
	promised int64 // of these, bytes that are not allocated yet
	shards   map[key]*Shard
	uploads  map[key]*upload
	resting  list.List // of the shards whose files are open and not read, the latest last
}

// key names a shard.
type key struct{ set, shard uint32 }

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
	s := &Store{dir: dir, began: time.Now(), opt: opt.withDefaults(), shards: map[key]*Shard{}, uploads: map[key]*upload{}}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) open() (err error) {
	for _, d := range []string{"sets", "uploads", "damaged", "code", "compiled"} {
		if err := os.MkdirAll(filepath.Join(s.dir, d), 0o755); err != nil {
			return fmt.Errorf("cannot use %s as a node's directory: %w", s.dir, err)
		}
	}
	if s.lock, err = lockDirectory(s.dir); err != nil {
		return err
	}
	if err := s.clearUploads(); err != nil {
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
	s.orderly, err = s.begun()
	s.opened = err == nil
	return err
}

// clearUploads removes what was arriving. The directory stays: on a full disk it could not
// be made again.
func (s *Store) clearUploads() error {
	list, err := os.ReadDir(s.uploadDir())
	for _, e := range list {
		err = errors.Join(err, os.RemoveAll(filepath.Join(s.uploadDir(), e.Name())))
	}
	return err
}

func (s *Store) uploadDir() string { return filepath.Join(s.dir, "uploads") }

// lockDirectory keeps other processes out, until the file is closed.
func lockDirectory(dir string) (*os.File, error) {
	path := filepath.Join(dir, "lock")
	f, err := regular.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, fmt.Errorf("cannot lock %s: %w", path, err)
		}
		process, _ := regular.Read(path, 20)
		return nil, &LockedError{dir, fmt.Sprintf("%.20s", process)}
	}
	if err = f.Truncate(0); err != nil {
		f.Close()
		return nil, err
	}
	_, _ = fmt.Fprint(f, os.Getpid()) // only messages name it, and the disk may be full
	return f, nil
}

// Identity is a random text that the directory keeps for good. It is a secret:
// with it, a node takes over its own name.
func (s *Store) Identity() string { return s.identity }

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
	if s.opened && err == nil {
		s.ended()
	}
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}
