package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// asMember is set for a process that is a member of the control and a node: what
// it is comes as JSON.
const asMember = "GODWIT_TEST_MEMBER"

func TestMain(m *testing.M) {
	if what := os.Getenv(asMember); what != "" {
		os.Exit(beMember(what))
	}
	if len(os.Args) > 1 && os.Args[1] == asChild {
		if err := ServeMember(os.Stdin, os.Stdout); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func beMember(what string) int {
	var cfg Config
	err := json.Unmarshal([]byte(what), &cfg)
	if err == nil {
		err = beNode(cfg)
	}
	os.Stderr.WriteString(err.Error() + "\n")
	return 1
}

// beNode writes its endpoint when it is a node too, and ends with its membership.
func beNode(cfg Config) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	s, err := Embed(ctx, cfg)
	if err != nil {
		return err
	}
	m, err := s.Control().Join(ctx, Member{Name: cfg.Name, Address: "127.0.0.1:1"})
	if err != nil {
		return err
	}
	os.Stdout.WriteString(s.Endpoint() + "\n")
	select {
	case <-m.Lost():
		return errors.New("the membership was lost")
	case <-ctx.Done():
		return ctx.Err()
	}
}

type process struct {
	cmd      *exec.Cmd
	endpoint string
}

// spawn starts a process and waits until it is a node.
func spawn(t *testing.T, cfg Config) (process, error) {
	what, err := json.Marshal(cfg)
	if err != nil {
		return process{}, err
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asMember+"="+string(what))
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return process{}, err
	}
	if err := cmd.Start(); err != nil {
		return process{}, err
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	line := bufio.NewScanner(out)
	if !line.Scan() {
		return process{}, errors.New("the process ended before it was a node")
	}
	return process{cmd, line.Text()}, nil
}

// Three processes, each a member of the control and a node, survive the death of
// the leader: the other nodes stay alive, watches go on, and writes succeed.
func TestLeaderDies(t *testing.T) {
	t.Parallel()
	cluster := map[string]string{"a": free(t), "b": free(t), "c": free(t)}
	type spawned struct {
		process
		err error
	}
	all := make(chan spawned)
	began := time.Now()
	for name, peer := range cluster {
		dir := t.TempDir()
		go func() {
			p, err := spawn(t, Config{Name: name, Dir: dir, Peer: peer, Cluster: cluster})
			all <- spawned{p, err}
		}()
	}
	var processes []process
	var at []string
	for range cluster {
		p := <-all
		check(t, p.err)
		processes, at = append(processes, p.process), append(at, p.endpoint)
	}
	t.Logf("three processes ready after %v", time.Since(began).Round(time.Millisecond))
	c := must[Control](t)(Dial(at, nil, Options{}))
	t.Cleanup(func() { c.Close() })
	own := join(t, c, "own")
	views := must[<-chan *catalog.View](t)(c.Watch(within(t)))
	until(t, views, func(v *catalog.View) bool { return len(v.Nodes) == 4 })

	check(t, leaderOf(t, c, processes).cmd.Process.Kill())
	began = time.Now()
	check(t, own.Hold(within(t), Held{Set: 1, Shard: 0, Sum: [32]byte{}}))
	t.Logf("a node wrote again %v after the leader was killed", time.Since(began).Round(time.Millisecond))
	until(t, views, func(v *catalog.View) bool { return len(v.Nodes) == 3 })
	t.Logf("its node was seen to be dead after %v, with a time to live of 5 s", time.Since(began).Round(time.Millisecond))
	time.Sleep(6 * time.Second) // longer than the time to live
	if v := must[*catalog.View](t)(c.View(within(t))); len(v.Nodes) != 3 {
		t.Errorf("%d nodes are alive, expected 3", len(v.Nodes))
	}
	late := join(t, c, "late")
	until(t, views, func(v *catalog.View) bool { _, ok := v.Node(late.Peer()); return ok })
}

func leaderOf(t *testing.T, c Control, processes []process) process {
	t.Helper()
	for _, p := range processes {
		r, err := c.(*registry).rec.(*etcd).order()[0].c.Status(within(t), "http://"+p.endpoint)
		check(t, err)
		if r.Leader == r.Header.MemberId {
			return p
		}
	}
	t.Fatal("no member leads")
	return process{}
}
