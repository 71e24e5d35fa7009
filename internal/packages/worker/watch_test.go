//go:build !static

package worker

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/godwit-run/godwit/internal/engine/cpuclock"
)

// journal is a log that can be read while others write.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(b []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(b)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) log() *slog.Logger { return slog.New(slog.NewTextHandler(j, nil)) }

// processOf is the worker of a program.
func processOf(t *testing.T, p *Pool, id string) *process {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.slots[id]
	if s == nil || s.process == nil {
		t.Fatalf("%s has no worker", id)
	}
	return s.process
}

// endsWithin waits until a worker is gone, and says whether it did.
func endsWithin(w *process, d time.Duration) bool {
	select {
	case <-w.ended:
		return true
	case <-time.After(d):
		return false
	}
}

// later is C text in which x_main starts a thread that runs a body after the call, and
// replies. Where there is a filter, no thread can be started.
func later(body string) string {
	return `#include <pthread.h>
#include <unistd.h>
#include <string.h>
` + connection + `
static void *work(void *p) { usleep(100000); ` + body + ` return p; }
` + inMain(`pthread_t t; if (pthread_create(&t, 0, work, 0) == 0) gw_reply("ok", 2);`)
}

// What a package does after its call, where no filter keeps it from that: its worker is
// ended soon, the reason is in the log, and the next call gets a new one.
func TestGoesOn(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"spins", later(`for (volatile long i = 0;; i++);`), "used processor time between calls"},
		{"keeps a thread", later(`for (;;) pause();`), "threads after a call"},
		{"prints now and then", later(`for (;;) { usleep(700000); gw_log("hello"); }`), "between calls"},
		{"floods", later(`static char b[65536]; memset(b, '\n', sizeof b); for (;;) write(2, b, sizeof b);`), "between calls"},
		{"answers without a question", later(`int fd = connection(); for (;;) { write(fd, "\5\0\0\0\4abcde", 10); usleep(100000); }`), "between calls"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var j journal
			p := newPool(t, Options{Unconfined: true, Log: j.log()})
			prog := compile(t, "bad", c.text)
			prog.Deps = []string{"libc.so.6"}
			mustLoad(t, p, prog)
			w := processOf(t, p, "bad")
			if c.want != "threads after a call" {
				w.threads += 10 // so that something else is noticed
			}
			mustCall(t, p, "bad", &Call{})
			if !endsWithin(w, 20*time.Second) {
				t.Fatal("its worker goes on")
			}
			for range 1000 { // the log follows
				if strings.Contains(j.String(), c.want) {
					break
				}
				time.Sleep(5 * time.Millisecond)
			}
			if !strings.Contains(j.String(), c.want) {
				t.Errorf("the log lacks %q:\n%s", c.want, j.String())
			}
			if _, err := p.Call(within30(t), "bad", &Call{}); !errors.Is(err, ErrNotLoaded) {
				t.Errorf("the next call: %v", err)
			}
			mustLoad(t, p, prog)
			mustCall(t, p, "bad", &Call{})
		})
	}
}

// Each look at a worker finds what it is there for.
func TestStray(t *testing.T) {
	p := newPool(t, Options{})
	mustLoad(t, p, compile(t, "x", inMain(echo)))
	mustCall(t, p, "x", &Call{})
	w := processOf(t, p, "x")
	if how := w.stray(); how != "" {
		t.Fatalf("an honest worker: %s", how)
	}
	w.threads--
	if how := w.stray(); !strings.Contains(how, "threads after a call") {
		t.Errorf("one thread too many: %q", how)
	}
	w.threads++
	settled := func() bool { w.mu.Lock(); defer w.mu.Unlock(); return w.rests.settled }
	for range 3 {
		if how := w.stray(); how != "" {
			t.Fatalf("an honest worker: %s", how)
		}
	}
	if !settled() {
		t.Error("the text of a silent worker did not come to its end")
	}
	w.said.keep([]byte("word"))
	if how := w.stray(); !strings.Contains(how, "wrote text") {
		t.Errorf("text: %q", how)
	}
	used, err := cpuclock.Used(w.cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	w.rests.allowed.left, w.rests.allowed.used = 0, used-time.Second
	w.mu.Unlock()
	if how := w.stray(); how != usesTime {
		t.Errorf("processor time: %q", how)
	}
	w.mu.Lock()
	w.rests.allowed = allowance{left: 0, used: used - time.Second, at: time.Now()}
	w.mu.Unlock()
	if _, err := p.Call(within30(t), "x", &Call{}); !errors.Is(err, ErrNotLoaded) {
		t.Errorf("a call after too much processor time: %v", err)
	}
}

// An answer that was written before its question came is none.
func TestForgedAnswer(t *testing.T) {
	p := newPool(t, Options{})
	mustLoad(t, p, compile(t, "x", connection+inMain(fmt.Sprintf(`
		static char twice[] = "\x1a\0\0\0\4" "12345678" "\1" "\1\0\0\0" "F" "\0\0\0\0\0\0\0\0" "\0\0\0\0";
		gw_reply("true", 4);
		if (size) sys(%d, connection(), (long)twice, 5 + 26, 0, 0, 0);`, syscalls()[arch]["write"]))))
	mustCall(t, p, "x", &Call{})
	o, err := p.Call(within30(t), "x", &Call{Payload: []byte{1}})
	if err == nil || !strings.Contains(err.Error(), "an answer that nobody asked for") {
		t.Errorf("%+v, %v", o, err)
	}
}

// What Go's runtime does after calls is not taken for the package's doing: many calls,
// small and large ones, at once and with pauses.
func TestOwnTime(t *testing.T) {
	var j journal
	p := newPool(t, Options{Log: j.log()})
	mustLoad(t, p, compile(t, "x", inMain(echo)))
	w := processOf(t, p, "x")
	least := burst
	for _, c := range []struct {
		calls, bytes int
		pause        time.Duration
	}{{2000, 8, 0}, {100, 8, 2 * time.Millisecond}, {20, 2 << 20, 0}, {10, 2 << 20, 50 * time.Millisecond}, {2, 1 << 20, time.Second}} {
		payload := make([]byte, c.bytes)
		for range c.calls {
			mustCall(t, p, "x", &Call{Payload: payload})
			time.Sleep(c.pause)
			w.mu.Lock()
			least = min(least, w.rests.allowed.left)
			w.mu.Unlock()
		}
		t.Logf("%d calls of %d bytes: the least that was left of %v: %v", c.calls, c.bytes, burst, least)
	}
	if w.exited() {
		t.Fatalf("its worker was ended:\n%s", j.String())
	}
	if least < burst/2 {
		t.Errorf("only %v were left: the allowance is too small for this machine", least)
	}
}

// hold is C text of a function that takes so many MiB that stay.
var hold0 = fmt.Sprintf(`static void hold(long mib) {
	while (mib-- > 0) {
		char *m = (char *)sys(%d, 0, 1 << 20, 3, 0x22, -1, 0);
		for (int i = 0; i < 1 << 20; i += 4096) m[i] = 1;
	}
}
static void wait(long s) { long t[2] = {s, 0}; sys(%d, (long)t, 0, 0, 0, 0, 0); }
`, syscalls()[arch]["mmap"], syscalls()[arch]["nanosleep"])

// What packages hold between calls counts against what all of them together may hold:
// the biggest idle one goes first.
func TestMemoryTogether(t *testing.T) {
	var j journal
	p := newPool(t, Options{Memory: 256 << 20, Log: j.log()})
	prog := compile(t, "", hold0+inMain(`hold(*(long *)payload);`))
	workers := map[string]*process{}
	call := func(id string, mib byte) {
		mustLoad(t, p, &Program{ID: id, Name: "x", Object: prog.Object})
		workers[id] = processOf(t, p, id)
		mustCall(t, p, id, &Call{Payload: []byte{mib, 0, 0, 0, 0, 0, 0, 0}})
	}
	call("small", 20)
	call("big", 120)
	call("middle", 80)
	time.Sleep(2 * lookIdle)
	for id, w := range workers {
		if w.exited() {
			t.Fatalf("%s was ended although there is room:\n%s", id, j.String())
		}
	}
	call("last", 60)
	if !endsWithin(workers["big"], 10*time.Second) {
		t.Fatal("all together hold more than they may, and the biggest goes on")
	}
	time.Sleep(2 * lookIdle)
	for _, id := range []string{"small", "middle", "last"} {
		if workers[id].exited() {
			t.Errorf("%s was ended too", id)
		}
	}
	if s := p.Status(); s.Workers != 3 || s.Ended != 1 || s.Held < 160<<20 || s.Held > s.Limit || s.Limit != 256<<20 {
		t.Errorf("the status is %+v", s)
	}
	if !strings.Contains(j.String(), "packages of this node held") {
		t.Errorf("the log does not say why:\n%s", j.String())
	}
}

// A call that takes what is left fails with the limit of all.
func TestMemoryOfCall(t *testing.T) {
	p := newPool(t, Options{Memory: 100 << 20})
	prog := compile(t, "", hold0+inMain(`hold(*(long *)payload); wait(20);`))
	mustLoad(t, p, &Program{ID: "greedy", Name: "x", Object: prog.Object})
	_, err := p.Call(within30(t), "greedy", &Call{Payload: []byte{200, 0, 0, 0, 0, 0, 0, 0}})
	if err == nil || !strings.Contains(err.Error(), "out of memory: the packages of this node may hold 100 MiB together") {
		t.Errorf("%v", err)
	}
}

// A call that writes without end does not stop, and costs the node next to nothing.
func TestFlood(t *testing.T) {
	t.Run("as much as goes", func(t *testing.T) { testFlood(t, 65536, 0) })
	t.Run("byte by byte", func(t *testing.T) { testFlood(t, 1, 0) })
	t.Run("no more than is read", func(t *testing.T) { testFlood(t, 1, 20) })
}

// testFlood is for writes of so many bytes, with so many other system calls in between.
func testFlood(t *testing.T, size, rest int) {
	var j journal
	p := newPool(t, Options{Log: j.log()})
	mustLoad(t, p, compile(t, "x", fmt.Sprintf(`static char b[%d + 1];
		static long now(void) { long t[2]; sys(%d, 1, (long)t, 0, 0, 0, 0); return t[0] * 1000 + t[1] / 1000000; }
		static void rest(int n) { while (n-- > 0) now(); }
		`, size, syscalls()[arch]["clock_gettime"])+inMain(fmt.Sprintf(`
		for (int i = 0; i < sizeof b; i++) b[i] = i %% 2 ? '\n' : 'x';
		long turns = 0;
		for (long end = now() + 2000; now() < end; turns++) sys(%d, turns %% 2 + 1, (long)b + turns %% 2, sizeof b - 1, 0, 0, 0), rest(%d);
		gw_reply(&turns, 8);`, syscalls()[arch]["write"], rest))))
	w := processOf(t, p, "x")
	var before, after unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &before); err != nil {
		t.Fatal(err)
	}
	o := mustCall(t, p, "x", &Call{})
	if err := unix.Getrusage(unix.RUSAGE_SELF, &after); err != nil {
		t.Fatal(err)
	}
	used := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
	total, dropped := w.said.counts()
	t.Logf("%v of the node's processor for %d bytes, %d of them dropped, in %v", used, total, dropped, o.Run)
	if turns := binary.LittleEndian.Uint64(o.Reply); turns < 500 {
		t.Errorf("the call wrote only %d times: it was held up", turns)
	}
	if used > o.Run/5 {
		t.Errorf("the node used %v", used)
	}
	if most := int64(o.Run/time.Second+2) * rateBytes; total > most {
		t.Errorf("the node read %d bytes, expected at most %d", total, most)
	}
	if n := strings.Count(j.String(), "\n"); n > lineCount+int(o.Run/lineTime)+4 || n < lineCount {
		t.Errorf("%d lines in the log", n)
	}
	for end := time.Now().Add(time.Minute); p.Status().Dropped != dropped && time.Now().Before(end); {
		_, dropped = w.said.counts() // the pipe's rest is read after the call
	}
	if p.Status().Dropped != dropped {
		t.Errorf("the status says that %d bytes were dropped, expected %d", p.Status().Dropped, dropped)
	}
	if !strings.Contains(j.String(), "says more than is logged") || dropped == 0 {
		t.Errorf("nothing says that text was dropped (%d bytes)", dropped)
	}
}

// A worker that somebody stops is ended at once, and does not wait for its deadline.
func TestStoppedWorker(t *testing.T) {
	p := newPool(t, Options{})
	mustLoad(t, p, compile(t, "x", inMain(`for (;;);`)))
	pid := processOf(t, p, "x").cmd.Process.Pid
	time.AfterFunc(50*time.Millisecond, func() { unix.Kill(pid, unix.SIGSTOP) })
	began := time.Now()
	_, err := p.Call(within30(t), "x", &Call{})
	if err == nil || !strings.Contains(err.Error(), "stopped by a signal") || time.Since(began) > 20*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

// Where no filter keeps the code from ending its thread, that is noticed soon.
func TestThreadEnds(t *testing.T) {
	p := newPool(t, Options{Unconfined: true})
	mustLoad(t, p, compile(t, "x", forbidden("exit", "60, 0, 0, 0, 0, 0")))
	began := time.Now()
	_, err := p.Call(within30(t), "x", &Call{})
	if err == nil || !strings.Contains(err.Error(), "ended the thread") || time.Since(began) > 20*time.Second {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
}

// However a worker ends, nothing of it stays: no process, thread or descriptor.
func TestNothingLeftOfWorker(t *testing.T) {
	prog := compile(t, "x", hold0+inMain(`
		hold(8);
		if (size == 1) *(volatile int *)target_args = 1;
		if (size == 2) for (;;);
		gw_reply("", 0);`))
	crash := func(p *Pool) { p.Call(context.Background(), "x", &Call{Payload: []byte{1}}) }
	for name, end := range map[string]func(*Pool){
		"crash": crash,
		"late": func(p *Pool) {
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			p.Call(ctx, "x", &Call{Payload: []byte{1, 2}})
		},
		"drop":  func(p *Pool) { p.Drop("x") },
		"watch": func(p *Pool) { p.retire(p.slots["x"], "a test") },
		"close": func(p *Pool) { p.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPool(t, Options{})
			mustLoad(t, p, prog) // the first start opens what stays: the thread of the spawner
			mustCall(t, p, "x", &Call{})
			crash(p)
			open := descriptors(t)
			mustLoad(t, p, prog)
			mustCall(t, p, "x", &Call{})
			w := processOf(t, p, "x")
			end(p)
			if !endsWithin(w, 5*time.Second) {
				t.Fatal("its worker goes on")
			}
			if _, err := os.Stat(fmt.Sprintf("/proc/%d", w.cmd.Process.Pid)); !os.IsNotExist(err) {
				t.Errorf("process %d is still there: %v", w.cmd.Process.Pid, err)
			}
			now := descriptors(t)
			for i := 0; len(now) > len(open) && i < 100; i++ { // whoever sends a signal may hold the process for a moment
				time.Sleep(10 * time.Millisecond)
				now = descriptors(t)
			}
			if len(now) > len(open) {
				t.Errorf("descriptors %q, before %q", now, open)
			}
		})
	}
}

// A process that exits as a whole ends its threads one by one: while it does, it is not
// taken for one whose code has ended its thread.
func TestThreadEndsFirst(t *testing.T) {
	p := newPool(t, Options{})
	mustLoad(t, p, compile(t, "x", inMain(`for (;;);`)))
	go p.Call(within30(t), "x", &Call{})
	w := processOf(t, p, "x")
	for !w.inCall() {
		time.Sleep(time.Millisecond)
	}
	seen := &process{cmd: w.cmd, turn: w.turn, ended: make(chan struct{}), limits: w.limits}
	seen.loaded.thread = 1 << 30 // no thread has this number
	seen.rests.running = true
	seen.measure()
	seen.measure()
	if seen.doomed() {
		t.Error("it was ended at the first looks")
	}
	seen.threadless = time.Now().Add(-2 * dying)
	if seen.measure(); !seen.doomed() {
		t.Error("it was not ended after its time")
	}
}
