//go:build !static

package worker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestLoadTwice(t *testing.T) {
	p := newPool(t, Options{})
	prog := compile(t, "x", "static char n;"+inMain("n++; gw_reply(&n, 1);"))
	mustLoad(t, p, prog)
	mustCall(t, p, "x", &Call{})
	mustLoad(t, p, prog)
	if o := mustCall(t, p, "x", &Call{}); o.Reply[0] != 2 {
		t.Errorf("the second call was number %d", o.Reply[0])
	}
	if _, err := p.Call(within30(t), "y", &Call{}); !errors.Is(err, ErrNotLoaded) {
		t.Errorf("%v", err)
	}
}

// The least recently used worker makes room.
func TestMost(t *testing.T) {
	p := newPool(t, Options{Most: 2})
	prog := compile(t, "a", inMain(""))
	load := func(id string) { mustLoad(t, p, &Program{ID: id, Name: prog.Name, Object: prog.Object}) }
	load("a")
	load("b")
	mustCall(t, p, "a", &Call{})
	load("c")
	if _, err := p.Call(within30(t), "b", &Call{}); !errors.Is(err, ErrNotLoaded) {
		t.Errorf("b: %v", err)
	}
	mustCall(t, p, "a", &Call{})
	mustCall(t, p, "c", &Call{})
}

// A worker in a call does not make room: who wants it waits.
func TestBusy(t *testing.T) {
	p := newPool(t, Options{Most: 1})
	prog := compile(t, "a", inMain("for (;;);"))
	other := &Program{ID: "b", Name: prog.Name, Object: prog.Object}
	mustLoad(t, p, prog)
	done := make(chan error)
	ctx, cancel := context.WithCancel(within30(t))
	go func() {
		_, err := p.Call(ctx, "a", &Call{})
		done <- err
	}()
	inCall(t, p, "a")
	short, stop := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer stop()
	if _, err := p.Load(short, other); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "workers are busy") {
		t.Errorf("%v", err)
	}
	time.AfterFunc(50*time.Millisecond, cancel)
	mustLoad(t, p, other)
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// inCall waits until a call has begun.
func inCall(t *testing.T, p *Pool, id string) {
	t.Helper()
	for range 1000 {
		p.mu.Lock()
		s := p.slots[id]
		p.mu.Unlock()
		if len(s.process.turn) == 1 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("no call began")
}

func TestDrop(t *testing.T) {
	p := newPool(t, Options{})
	prog := compile(t, "a", inMain("for (;;);"))
	mustLoad(t, p, prog)
	done := make(chan error)
	go func() {
		_, err := p.Call(context.Background(), "a", &Call{})
		done <- err
	}()
	inCall(t, p, "a")
	p.Drop("a")
	if err := <-done; err == nil || !strings.Contains(err.Error(), "may not run any more") {
		t.Errorf("%v", err)
	}
	p.Drop("a")
	if _, err := p.Call(within30(t), "a", &Call{}); !errors.Is(err, ErrNotLoaded) {
		t.Errorf("%v", err)
	}
	mustLoad(t, p, prog)
}

// Many callers of few programs in a small pool, with crashes, drops and loads at the
// same time: each answer belongs to its question.
func TestConcurrent(t *testing.T) {
	p := newPool(t, Options{Most: 3})
	prog := compile(t, "", inMain(`if (size == 3) *(volatile int *)0 = 1; gw_reply(payload, size);`))
	var all sync.WaitGroup
	for g := range 6 {
		all.Go(func() {
			for i := range 12 {
				id, text := fmt.Sprint((g+i)%4), fmt.Sprintf("call %d of %d", i, g)
				if i == 7 {
					text = "bad"
				}
				_, err := p.Load(within30(t), &Program{ID: id, Name: prog.Name, Object: prog.Object})
				if err != nil && !strings.Contains(err.Error(), "dropped") {
					t.Errorf("load: %v", err)
				}
				o, err := p.Call(within30(t), id, &Call{Payload: []byte(text)})
				var end *Error
				switch {
				case errors.Is(err, ErrNotLoaded), errors.As(err, &end): // others crash and drop it
				case err != nil || string(o.Reply) != text:
					t.Errorf("got %+v, %v, expected %q", o, err, text)
				}
				if i%5 == 4 {
					p.Drop(id)
				}
			}
		})
	}
	all.Wait()
}

func TestWarm(t *testing.T) {
	p := newPool(t, Options{})
	prog := compile(t, "a", inMain(echo))
	p.Warm()
	p.pending.Wait()
	p.mu.Lock()
	pid := p.spare.process.cmd.Process.Pid
	p.mu.Unlock()
	times := mustLoad(t, p, prog)
	t.Logf("%+v", times)
	if got := p.slots["a"].process.cmd.Process.Pid; got != pid {
		t.Errorf("process %d was used, expected the spare %d", got, pid)
	}
	p.pending.Wait()
	if p.spare.process == nil {
		t.Error("there is no new spare")
	}
}

// children are the processes whose parent this one is.
func children(t *testing.T) (pids []string) {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(lists) == 0 {
		t.Skip("SKIPPED: the kernel does not list children (CONFIG_PROC_CHILDREN)")
	}
	for _, l := range lists {
		b, err := os.ReadFile(l)
		if err == nil {
			pids = append(pids, strings.Fields(string(b))...)
		}
	}
	return pids
}

func descriptors(t *testing.T) (names []string) {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil {
			names = append(names, target)
		}
	}
	return names
}

// After Close there are no processes, descriptors, mappings or goroutines left.
func TestNothingLeft(t *testing.T) {
	good, bad := compile(t, "good", inMain(echo)), compile(t, "bad", inMain("for (;;);"))
	run := func() {
		p := newPool(t, Options{Limits: Limits{CPU: 20 * time.Millisecond}})
		r, err := NewRegion(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		p.Warm()
		mustLoad(t, p, good)
		mustLoad(t, p, bad)
		mustCall(t, p, "good", &Call{Grants: []Grant{{"r", r, true}}})
		if _, err := p.Call(within30(t), "bad", &Call{}); err == nil {
			t.Error("a loop ended")
		}
		p.Load(within30(t), &Program{ID: "no object"})
		if err := errors.Join(p.Close(), r.Close()); err != nil {
			t.Error(err)
		}
		if _, err := p.Load(context.Background(), good); !errors.Is(err, ErrClosed) {
			t.Errorf("a load after Close: %v", err)
		}
	}
	run()
	goroutines, open := runtime.NumGoroutine(), descriptors(t)
	run()
	for range 200 { // goroutines end a little later than what they say
		if runtime.NumGoroutine() <= goroutines {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		b := make([]byte, 1<<16)
		t.Errorf("%d goroutines, before %d\n%s", n, goroutines, b[:runtime.Stack(b, true)])
	}
	if now := descriptors(t); len(now) > len(open) {
		t.Errorf("descriptors %q, before %q", now, open)
	}
	if c := children(t); len(c) > 0 {
		t.Errorf("children %q", c)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil || strings.Contains(string(maps), "godwit-region") {
		t.Errorf("a region is still mapped, %v", err)
	}
}

func TestNoProgram(t *testing.T) {
	for _, c := range []struct {
		program []string
		want    string
	}{
		{[]string{"/nowhere/godwit"}, "/nowhere/godwit: no such file"},
		{[]string{"/bin/false"}, "its worker failed"},
		{[]string{"/bin/cat"}, "broke the protocol"},
	} {
		p := newPool(t, Options{Program: c.program})
		if _, err := p.Load(within30(t), &Program{ID: "x", Name: "x"}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, expected %q", c.program, err, c.want)
		}
	}
	p := New(Options{})
	defer p.Close()
	if _, err := p.Load(within30(t), &Program{ID: "x"}); err == nil || !strings.Contains(err.Error(), "Options.Program is empty") {
		t.Errorf("%v", err)
	}
	if err := Serve(strings.NewReader(""), os.Stderr); err == nil || !strings.Contains(err.Error(), "socket of a pool") {
		t.Errorf("%v", err)
	}
}

func TestRegionSizes(t *testing.T) {
	for _, n := range []int64{-1, 0, 1 << 62} {
		if _, err := NewRegion(n); err == nil || !strings.Contains(err.Error(), "expected from 1") {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	r, err := NewRegion(5000)
	if err != nil || len(r.Bytes()) != 5000 {
		t.Fatalf("%v", err)
	}
	if err := r.write.Truncate(10); err == nil {
		t.Error("a region can shrink")
	}
	if err := errors.Join(r.Close(), r.Close()); err != nil {
		t.Error(err)
	}
}
