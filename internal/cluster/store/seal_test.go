package store

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"
)

// What is dropped while it is sealed does not come back, neither now nor at the next start.
func TestDroppedWhileSealed(t *testing.T) {
	inBoth(t, func(t *testing.T, o Options) {
		dir := t.TempDir()
		s := open(t, dir, o)
		f, b := numbers(t, 1, 0, 0, 100)
		check(t, s.Put("a", f, 0, b))
		u, err := s.beginSeal(f)
		check(t, err)
		h, err := s.settle(u)
		check(t, err)
		check(t, s.Drop(1, 0))
		refused[*WrongError](t, s.endSeal(u, h, nil))
		if used, _ := s.Usage(); len(s.Shards()) > 0 || used != 0 {
			t.Errorf("here are %v with %d bytes", s.Shards(), used)
		}
		check(t, s.Close())
		if s = open(t, dir, o); len(s.Shards()) > 0 {
			t.Errorf("after a start are here %v", s.Shards())
		}
	})
}

// An upload that is being written or sealed does not expire under whoever does it.
func TestNoExpiryInUse(t *testing.T) {
	for _, use := range []func(*upload, bool){
		func(u *upload, on bool) {
			u.writers = 0
			if on {
				u.writers = 1
			}
		},
		func(u *upload, on bool) { u.sealing = on },
	} {
		synctest.Test(t, func(t *testing.T) {
			s := open(t, t.TempDir(), Options{})
			f, b := numbers(t, 1, 0, 0, 10)
			check(t, s.Put("a", f, 0, b[:10]))
			u := s.uploads[f.key()]
			set := func(on bool) {
				s.mu.Lock()
				defer s.mu.Unlock()
				use(u, on)
			}
			set(true)
			time.Sleep(3 * time.Minute)
			synctest.Wait()
			if used, _ := s.Usage(); used != f.Bytes {
				t.Error("the upload has expired under its user")
			}
			set(false)
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if used, _ := s.Usage(); used != 0 {
				t.Error("the upload does not expire when its user has gone")
			}
		})
	}
}

// A scrub that was held up goes on at its rate, and does not hurry.
func TestPaceMakesUpForNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pace{rate: 1000, start: time.Now()}
		check(t, p.wait(t.Context(), 1000))
		time.Sleep(time.Minute)
		check(t, p.wait(t.Context(), 1000)) // finds that it is late
		start := time.Now()
		for range 10 {
			check(t, p.wait(t.Context(), 1000))
		}
		if took := time.Since(start); took < 9*time.Second || took > 11*time.Second {
			t.Errorf("10,000 bytes at 1000 a second took %v after a delay", took)
		}
	})
}

// Want of descriptors at start sets nothing aside.
func TestNoDescriptors(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	f, b := numbers(t, 1, 0, 0, 100)
	put(t, s, f, b)
	check(t, s.Close())
	s = &Store{dir: dir, opt: Options{}.withDefaults(), shards: map[key]*Shard{}, uploads: map[key]*upload{}}
	var old unix.Rlimit
	check(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &old))
	check(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 0, Max: old.Max}))
	err := s.loadFile(1, "0.json")
	check(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: old.Cur, Max: old.Max}))
	if !errors.Is(err, unix.EMFILE) || len(s.Damaged()) > 0 {
		t.Errorf("the error is %v, set aside are %+v", err, s.Damaged())
	}
	if _, err := os.Stat(s.path(f.key())); err != nil {
		t.Error(err)
	}
}

// Only a disk that is full is called full.
func TestFullSaysWhat(t *testing.T) {
	for err, disk := range map[error]bool{unix.ENOSPC: true, unix.EDQUOT: true, unix.ENOMEM: false, unix.EIO: false} {
		got := full("d", fmt.Errorf("write: %w", err), 10)
		if errors.As(got, new(*FullError)) != disk || !disk && !errors.Is(got, err) {
			t.Errorf("%v becomes %v", err, got)
		}
	}
}
