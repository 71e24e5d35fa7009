package control

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// asChild is the word after which this program is a supervised member.
const asChild = "serve-member"

func supervised(t *testing.T) (*Supervised, Control) { return supervisedFor(t, 2*time.Second) }

// supervisedFor is supervised with leases of another length.
func supervisedFor(t *testing.T, ttl time.Duration) (*Supervised, Control) {
	t.Helper()
	cfg := Config{Name: "one", Dir: t.TempDir(), Client: free(t), Peer: free(t), Options: Options{TTL: ttl}}
	s := Supervise([]string{os.Args[0], asChild}, cfg)
	t.Cleanup(func() { s.Close() })
	c := must[Control](t)(Dial([]string{cfg.Client}, nil, Options{TTL: 30 * time.Second}))
	t.Cleanup(func() { c.Close() })
	return s, c
}

// next waits for a process other than one.
func next(t *testing.T, s *Supervised, than int) int {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if pid := s.Process(); pid != 0 && pid != than {
			return pid
		}
		if time.Now().After(end) {
			t.Fatal("no other process was started")
		}
	}
}

// A member's process that dies, or was stopped for so long that it may not know any more who
// leads, is started again with its records, and nodes stay members.
func TestSupervise(t *testing.T) {
	t.Parallel()
	s, c := supervised(t)
	m := join(t, c, "a")
	for i, hurt := range []func(pid int){
		func(pid int) { check(t, syscall.Kill(pid, syscall.SIGKILL)) },
		func(pid int) {
			check(t, syscall.Kill(pid, syscall.SIGSTOP))
			time.Sleep(1500 * time.Millisecond)
			check(t, syscall.Kill(pid, syscall.SIGCONT))
		},
	} {
		pid := next(t, s, 0)
		hurt(pid)
		next(t, s, pid)
		check(t, m.Hold(within(t), Held{Set: 1, Shard: uint32(i), Sum: [32]byte{1}}))
	}
	select {
	case <-m.Lost():
		t.Error("the membership was lost with the member's process")
	default:
	}
	pid := next(t, s, 0)
	check(t, s.Close())
	if err := syscall.Kill(pid, 0); err == nil {
		t.Error("the process is still there")
	}
}

// A short pause, as on a busy machine, ends nothing.
func TestShortPause(t *testing.T) {
	t.Parallel()
	s, c := supervisedFor(t, 10*time.Second)
	join(t, c, "a")
	pid := next(t, s, 0)
	check(t, syscall.Kill(pid, syscall.SIGSTOP))
	time.Sleep(300 * time.Millisecond)
	check(t, syscall.Kill(pid, syscall.SIGCONT))
	join(t, c, "b")
	if s.Process() != pid {
		t.Error("after a pause of 0.3 s the process was ended")
	}
}

// The reserve is given up in slices while the disk is full, then the member stops; with space
// it is made again.
func TestReserve(t *testing.T) {
	t.Parallel()
	space := int64(1 << 30)
	r := &ballast{dir: t.TempDir(), log: slog.New(slog.DiscardHandler), free: func(string) (int64, error) { return space, nil }}
	size := func() int64 { return must[int64](t)(r.size()) }
	check(t, r.look())
	var st unix.Stat_t
	check(t, unix.Stat(filepath.Join(r.dir, "ballast"), &st))
	if size() != ballastBytes || st.Blocks*512 < ballastBytes {
		t.Fatalf("the reserve has %d bytes, of which %d are on the disk; expected %d", size(), st.Blocks*512, ballastBytes)
	}
	space = nearlyFull
	check(t, r.look())
	if size() != ballastBytes {
		t.Error("with enough space a part of the reserve was given up")
	}
	var sizes []int64
	for space = tooFull - 1; size() > 0; {
		check(t, r.look())
		sizes = append(sizes, size())
	}
	if len(sizes) != ballastBytes/ballastSlice || !slices.IsSortedFunc(sizes, func(a, b int64) int { return int(b - a) }) {
		t.Errorf("the reserve was given up in steps to %v", sizes)
	}
	if err := r.look(); err != errFull {
		t.Errorf("without space and reserve: %v, expected %v", err, errFull)
	}
	space = roomAgain
	check(t, r.look())
	if size() != ballastBytes {
		t.Errorf("with space again the reserve has %d bytes", size())
	}
}

// Whatever is in the place of the reserve or of the sign of life ends no member and makes none wait.
func TestOddReserve(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(path string) error{
		"a folder": func(p string) error { return os.Mkdir(p, 0o700) },
		"a pipe":   func(p string) error { return unix.Mkfifo(p, 0o600) },
		"a link":   func(p string) error { return os.Symlink("/dev/full", p) },
		"a full folder": func(p string) error {
			return os.MkdirAll(filepath.Join(p, "somebody's"), 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &ballast{dir: t.TempDir(), log: slog.New(slog.DiscardHandler), free: func(string) (int64, error) { return roomAgain, nil }}
			check(t, put(r.path()))
			alive := filepath.Join(r.dir, "alive")
			check(t, put(alive))
			ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			defer cancel()
			ends := func(what func()) bool {
				done := make(chan struct{})
				go func() { what(); close(done) }()
				select {
				case <-done:
					return true
				case <-time.After(time.Minute):
					return false
				}
			}
			if !ends(func() { err := r.watch(ctx); check(t, err) }) || !ends(touch(r.dir)) || !ends(touch(r.dir)) {
				t.Fatal("it waits")
			}
			if name == "a full folder" {
				check(t, os.Remove(filepath.Join(r.path(), "somebody's")))
				return
			}
			for _, path := range []string{r.path(), alive} {
				if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
					t.Errorf("%s was not made anew: %v, %v", path, info, err)
				}
			}
		})
	}
	failing := &ballast{dir: t.TempDir(), log: slog.New(slog.DiscardHandler), free: func(string) (int64, error) { return 0, syscall.EIO }}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := failing.watch(ctx); err != nil {
		t.Errorf("a disk that does not say how full it is ends the member: %v", err)
	}
}

// Process is the number of the present process, 0 if there is none.
func (s *Supervised) Process() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pid
}
