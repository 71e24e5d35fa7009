package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/data/whole"
)

// upload is a shard that is arriving.
type upload struct {
	File
	owner   string // who began it
	f       *os.File
	got     extents // guarded by Store.mu, as what follows
	have    int64   // bytes that have arrived
	space   int64   // bytes that are reserved: what has arrived or is being written, and a little ahead
	writing int64   // bytes of the parts that are being written now
	writers int     // how many these are
	begun   time.Time
	sealing bool
	twice   bool // a part was written while it was written already
	idle    *time.Timer
	digesting
}

// BusyError says that something can be done later.
type BusyError struct{ Reason string }

func (e *BusyError) Error() string { return e.Reason }

// WrongError says what is wrong with a file or a part of it.
type WrongError struct {
	File   File
	Reason string
}

func (e *WrongError) Error() string { return fmt.Sprintf("%v: %s", &e.File, e.Reason) }

// UnfinishedError says which bytes of a file are not here: they have not been sent, or nobody was heard of for so long that what had
// arrived was given up.
type UnfinishedError struct {
	File   File
	Lo, Hi int64
}

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("%v: bytes %d to %d of %d have not arrived, or were given up meanwhile", &e.File, e.Lo, e.Hi, e.File.Bytes)
}

func (f *File) wrong(format string, args ...any) error {
	return &WrongError{*f, fmt.Sprintf(format, args...)}
}

// Put takes the part of a shard's file that begins at offset. Parts come in any
// order, and again; each says the same about the file. Parts of a shard that
// is here already are ignored. The upload counts to the owner who sends its first part:
// see Options.Uploads; it may be the node itself.
func (s *Store) Put(owner string, f File, offset int64, b []byte) error {
	if f.Lo < 0 || f.Hi < f.Lo || f.Bytes <= 0 {
		return f.wrong("rows %d to %d in %d bytes make no file", f.Lo, f.Hi, f.Bytes)
	}
	if offset < 0 || int64(len(b)) > f.Bytes || offset > f.Bytes-int64(len(b)) {
		return f.wrong("a part of %d bytes at %d does not lie in a file of %d", len(b), offset, f.Bytes)
	}
	u, more, err := s.begin(owner, f, int64(len(b)))
	if u == nil || err != nil {
		return err
	}
	err = s.allocate(u, more)
	holes := s.missing(u, offset, offset+int64(len(b)))
	for _, h := range holes {
		if err != nil {
			break
		}
		_, err = u.f.WriteAt(b[h.lo-offset:h.hi-offset], h.lo)
	}
	if err == nil && !s.opt.Memory {
		// The disk begins at once, not when the shard is sealed. Whether it could is found out then.
		_ = unix.SyncFileRange(int(u.f.Fd()), offset, int64(len(b)), unix.SYNC_FILE_RANGE_WRITE)
	}
	if err == nil {
		s.arrived(u, holes)
		s.digest(u, offset, b, len(holes) == 1 && holes[0] == extent{offset, offset + int64(len(b))})
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	u.writers--
	u.writing -= int64(len(b))
	if err != nil {
		err = full(s.dir, err, f.Bytes)
		if u.have == 0 && u.writers == 0 && s.uploads[u.key()] == u {
			err = errors.Join(err, s.abandon(u))
		}
		return err
	}
	return nil
}

// arrived notes what was written of an upload.
func (s *Store) arrived(u *upload, holes []extent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	news := int64(0)
	for _, h := range holes {
		n := int64(0)
		for _, x := range u.got.missing(h) { // the same part may have come twice at once
			n += x.hi - x.lo
		}
		u.got.add(h)
		news += n
		u.twice = u.twice || n < h.hi-h.lo
	}
	if u.have += news; news > 0 && s.uploads[u.key()] == u {
		u.idle.Reset(s.left(u))
	}
}

// begin finds the upload, or starts it, and enters a writer of n bytes. It says how much space
// is to be allocated first. There is no upload for a shard that is here.
func (s *Store) begin(owner string, f File, n int64) (u *upload, more int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if done, err := s.sealed(f); done || err != nil {
		return nil, 0, err
	}
	if u, err = s.find(owner, f); err != nil {
		return nil, 0, err
	}
	if more, err = s.extend(u, n); err != nil {
		if u.have == 0 && u.writers == 0 {
			err = errors.Join(err, s.abandon(u))
		}
		return nil, 0, err
	}
	u.writers++
	u.writing += n
	return u, more, nil
}

// find gives the upload of a file, or starts it. Called with mu held.
func (s *Store) find(owner string, f File) (*upload, error) {
	u := s.uploads[f.key()]
	if u != nil && u.File != f && owner == Itself && u.owner != Itself && u.writers == 0 && !u.sealing {
		// The node knows from the catalogue what the shard is to be.
		if err := s.abandon(u); err != nil {
			return nil, err
		}
		u = nil
	}
	if u == nil {
		var err error
		if u, err = s.start(owner, f); err != nil {
			return nil, err
		}
	}
	if u.File != f {
		return nil, f.wrong("another file for it is arriving, of rows %d to %d and %d bytes", u.Lo, u.Hi, u.Bytes)
	}
	if u.sealing {
		return nil, &BusyError{fmt.Sprintf("%v is being sealed", &f)}
	}
	return u, nil
}

// sealed reports whether the shard is here. Called with mu held.
func (s *Store) sealed(f File) (bool, error) {
	if s.closed {
		return false, ErrClosed
	}
	h := s.shards[f.key()]
	if h != nil && h.File != f {
		return true, f.wrong("another file of rows %d to %d and %d bytes is here: drop it first", h.Lo, h.Hi, h.Bytes)
	}
	return h != nil, nil
}

// start begins an upload for which there is room now. Only what arrives takes it: see extend.
// Called with mu held.
func (s *Store) start(owner string, f File) (*upload, error) {
	if err := s.crowded(owner); err != nil {
		return nil, err
	}
	if err := s.beyondFiles(); err != nil {
		return nil, err
	}
	if err := s.roomBeside(nil, f.Bytes); err != nil {
		return nil, err
	}
	if err := s.beyondPart(owner, f.Bytes); err != nil {
		return nil, err
	}
	file, err := s.create(f)
	if err != nil {
		return nil, full(s.dir, err, f.Bytes)
	}
	u := &upload{File: f, owner: owner, f: file, begun: time.Now()}
	u.idle = time.AfterFunc(s.patience(owner), func() { s.expire(u) })
	s.uploads[f.key()] = u
	return u, nil
}

func (s *Store) create(f File) (*os.File, error) {
	if s.opt.Memory {
		return newMemory(f)
	}
	path := s.uploadPath(f.key())
	if err := remove(path); err != nil { // what nobody knows of
		return nil, err
	}
	return regular.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
}

func (s *Store) uploadPath(k key) string {
	return filepath.Join(s.uploadDir(), fmt.Sprintf("%d-%d.arrow", k.set, k.shard))
}

// expire gives up an upload of which nothing was heard.
func (s *Store) expire(u *upload) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.uploads[u.key()] != u {
		return
	}
	if u.writers > 0 || u.sealing { // a moment; that somebody writes is no progress
		u.idle.Reset(min(s.opt.Idle, time.Second))
		return
	}
	_ = s.abandon(u) // what cannot be removed now is removed at the next start
}

// abandon removes an upload. Called with mu held.
func (s *Store) abandon(u *upload) error {
	s.forget(u)
	err := u.f.Close()
	if s.opt.Memory {
		return err
	}
	if e := os.Remove(s.uploadPath(u.key())); !errors.Is(e, os.ErrNotExist) {
		err = errors.Join(err, e)
	}
	return err
}

func (s *Store) forget(u *upload) {
	u.idle.Stop()
	if s.uploads[u.key()] == u {
		delete(s.uploads, u.key())
		s.used -= u.space
	}
}

func (s *Store) missing(u *upload, lo, hi int64) []extent {
	s.mu.Lock()
	defer s.mu.Unlock()
	return u.got.missing(extent{lo, hi})
}

// Seal completes a shard: all parts must have arrived, else it is an UnfinishedError, and the whole have its
// sum. When it returns nil the shard is on the disk, and open. A file that is
// complete but wrong is removed.
func (s *Store) Seal(f File) error {
	u, err := s.beginSeal(f)
	if u == nil || err != nil {
		return err
	}
	h, err := s.settle(u)
	return s.endSeal(u, h, err)
}

// endSeal makes a shard that was settled count, unless it was dropped meanwhile.
func (s *Store) endSeal(u *upload, h *Shard, err error) error {
	if h != nil {
		h.owner = u.owner
	}
	f := u.File
	s.mu.Lock()
	defer s.mu.Unlock()
	dropped := s.uploads[u.key()] != u
	switch {
	case err != nil && dropped:
		return err
	case err != nil:
		return errors.Join(full(s.dir, err, f.Bytes), s.abandon(u))
	case dropped:
		err = f.wrong("it was dropped while it was sealed")
		if !s.opt.Memory && !s.closed {
			err = errors.Join(err, s.unlink(f.key()))
		}
		return errors.Join(err, h.Source.Close())
	}
	s.forget(u)
	s.enter(h)
	return u.f.Close()
}

func (s *Store) beginSeal(f File) (*upload, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if done, err := s.sealed(f); done || err != nil {
		return nil, err
	}
	u := s.uploads[f.key()]
	if u == nil {
		return nil, &UnfinishedError{f, 0, f.Bytes}
	}
	if u.File != f {
		return nil, f.wrong("another file for it is arriving, of rows %d to %d and %d bytes", u.Lo, u.Hi, u.Bytes)
	}
	if u.sealing || u.writers > 0 {
		return nil, &BusyError{fmt.Sprintf("%v is still being written", &f)}
	}
	if holes := u.got.missing(extent{0, f.Bytes}); len(holes) > 0 {
		return nil, &UnfinishedError{f, holes[0].lo, holes[0].hi}
	}
	u.sealing = true
	return u, nil
}

// settle checks an upload and gives it its name.
func (s *Store) settle(u *upload) (*Shard, error) {
	if s.opt.Memory {
		return s.settleMemory(u)
	}
	k := u.key()
	if err := u.f.Sync(); err != nil {
		return nil, err
	}
	sums, err := u.summed()
	if err == nil {
		err = s.examine(u, s.uploadPath(k), sums)
	}
	if err != nil {
		return nil, err
	}
	if err := s.name(k, s.uploadPath(k)); err != nil {
		return nil, err
	}
	h, err := s.complete(&u.File, sums)
	if err != nil {
		return nil, errors.Join(err, s.unlink(k))
	}
	return h, nil
}

// complete writes what belongs beside a shard's file, and opens it. In this order: a shard
// without its sums counts, sums without a description tell that it was lost.
func (s *Store) complete(f *File, sums data.Sums) (*Shard, error) {
	k := f.key()
	err := s.rewrite(s.sidecar(k), f.sidecar())
	if err == nil {
		err = s.rewrite(s.sumsPath(k), f.encodeSums(sums))
	}
	if err == nil {
		err = whole.Sync(filepath.Join(s.dir, "sets"))
	}
	if err != nil {
		return nil, err
	}
	return s.openPath(*f, s.path(k), sums)
}

// name moves a file to a shard's place. A set's directory vanishes with its last shard,
// so it must not be made and used in two steps.
func (s *Store) name(k key, from string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(s.setDir(k.set), 0o755); err != nil {
		return err
	}
	return os.Rename(from, s.path(k))
}

// try makes the sums of a file that has its SHA-256, and opens it.
func (s *Store) try(f *File, path string) (data.Sums, error) {
	file, err := regular.Open(path)
	if err != nil {
		return data.Sums{}, err
	}
	sums, err := sumUp(file, f.Sum)
	if err != nil {
		return sums, errors.Join(f.wrong("%v", err), file.Close())
	}
	h, err := s.openShard(*f, path, file, sums)
	if err != nil {
		return sums, f.wrong("%v", err)
	}
	return sums, h.Source.Close()
}
