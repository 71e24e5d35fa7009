package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"syscall"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/site"
)

// Client speaks with the fleet of a folder.
type Client struct {
	dir  string
	http http.Client
}

// NewClient is for the fleet of dir, whether it runs or not.
func NewClient(dir string) *Client {
	c := &Client{dir: dir}
	c.http.Transport = &http.Transport{DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, dir) }}
	return c
}

// NotRunning says that no fleet has the folder.
type NotRunning struct{ Dir string }

func (e *NotRunning) Error() string {
	return fmt.Sprintf("no `godwit up` runs for the cluster in %s: start it with `%s`", e.Dir, site.Command("up -d", e.Dir))
}

// State asks for it.
func (c *Client) State(ctx context.Context) (*State, error) {
	s := &State{}
	return s, c.do(ctx, http.MethodGet, "/state", s)
}

// Restart ends a node and starts it again; it is ready and holds what it held when
// this returns.
func (c *Client) Restart(ctx context.Context, node string) (*Restarted, error) {
	r := &Restarted{}
	return r, c.do(ctx, http.MethodPost, "/nodes/"+url.PathEscape(node)+"/restart", r)
}

// Add starts a new node.
func (c *Client) Add(ctx context.Context, node string) (*Restarted, error) {
	r := &Restarted{}
	return r, c.do(ctx, http.MethodPost, "/nodes/"+url.PathEscape(node)+"/add", r)
}

// Remove ends a node for good.
func (c *Client) Remove(ctx context.Context, node string) error {
	return c.do(ctx, http.MethodPost, "/nodes/"+url.PathEscape(node)+"/remove", nil)
}

// Removable says why a node cannot be removed, if it cannot.
func (c *Client) Removable(ctx context.Context, node string) error {
	s, err := c.State(ctx)
	if err != nil {
		return err
	}
	return s.removable(node)
}

func (c *Client) do(ctx context.Context, method, path string, to any) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://up"+path, nil)
	if err != nil {
		return err
	}
	r, err := c.http.Do(req)
	if err != nil {
		return c.explain(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		var f failure
		if err := json.NewDecoder(r.Body).Decode(&f); err != nil || f.Error == "" {
			return fmt.Errorf("godwit up in %s answers %s", c.dir, r.Status)
		}
		return &Error{Text: f.Error, Help: f.Help}
	}
	if to == nil {
		return nil
	}
	return json.NewDecoder(r.Body).Decode(to)
}

// explain says why nobody answers.
func (c *Client) explain(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return foreign(c.dir, err)
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("godwit up in %s does not answer: %w", c.dir, err)
	}
	if err := c.ours(); err != nil {
		return err
	}
	if held, _ := locked(c.dir); held {
		return &Error{Text: fmt.Sprintf("a `godwit up`%s has the cluster in %s, but takes no orders", holder(c.dir).words(), c.dir), Help: "`" + site.Command("down", c.dir) + "` ends it"}
	}
	return &NotRunning{Dir: c.dir}
}

// ours says whether the folder is one that a fleet has made.
func (c *Client) ours() error {
	s, err := site.Open(c.dir)
	if err != nil {
		return foreign(c.dir, err)
	}
	if len(s.Nodes) == 0 {
		return &Error{Text: fmt.Sprintf("the nodes of the cluster in %s were not started by `godwit up` on this machine", c.dir),
			Help: "do it where they run, as they were started"}
	}
	return nil
}

// Ended is what Down did.
type Ended struct {
	Dir     string  `json:"dir"`
	Ran     bool    `json:"ran"`    // there was something to end
	Killed  bool    `json:"killed"` // it did not end by itself in time
	Left    int     `json:"left"`   // processes that had outlived their `godwit up`
	Seconds float64 `json:"seconds"`
}

// Down ends the fleet of a folder with all its nodes, however it was started. What has not ended after
// patience is killed.
func (c *Client) Down(ctx context.Context, patience time.Duration) (*Ended, error) {
	begin := time.Now()
	dir, err := filepath.Abs(c.dir)
	if err != nil {
		return nil, err
	}
	e := &Ended{Dir: c.dir}
	ran, err := locked(c.dir)
	if err != nil {
		return nil, err
	}
	if !ran {
		if err := c.ours(); err != nil {
			return nil, err
		}
	}
	if ran {
		e.Ran = true
		if e.Killed, err = c.end(ctx, patience); err != nil {
			return nil, err
		}
		patience = leaving
	}
	nodes := filepath.Join(dir, "nodes")
	if e.Left = clearLeft(ctx, nodes, min(patience, leaving)); !ran && e.Left > 0 {
		e.Ran = true
	}
	e.Seconds = time.Since(begin).Seconds()
	if rest := left(nodes); len(rest) > 0 && ctx.Err() == nil {
		return e, stuck(fmt.Sprintf("processes %v of nodes in %s", rest, c.dir))
	}
	return e, ctx.Err()
}

// stuck says that something was killed and is there still.
func stuck(what string) error {
	return &Error{Text: fmt.Sprintf("%s have not ended %v after they were killed", what, leaving), Help: "they wait for the system, as for a disk that does not answer: look after that"}
}

// answering is how long a fleet may take to take the order.
const answering = 3 * time.Second

// end orders, or sends a signal to who takes no orders, and waits for the lock: until patience is
// over, and after the killing for as long as the system may take.
func (c *Client) end(ctx context.Context, patience time.Duration) (killed bool, err error) {
	limit := time.Now().Add(patience)
	ask, cancel := context.WithTimeout(ctx, min(answering, patience))
	err = c.do(ask, http.MethodPost, "/down", nil)
	cancel()
	if err != nil && ctx.Err() == nil {
		signal(c.dir, syscall.SIGTERM)
	}
	for ; ctx.Err() == nil; pause(ctx, look) {
		held, err := locked(c.dir)
		if err != nil || !held {
			return killed, err
		}
		switch now := time.Now(); {
		case now.Before(limit):
		case !killed:
			by := signal(c.dir, syscall.SIGKILL)
			if by == 0 {
				return false, &Error{Text: fmt.Sprintf("`godwit up` in %s has not ended after %v, and its number is not known", c.dir, patience), Help: "find who has the file `lock` there open, as its owner or as root, and kill that"}
			}
			killed, limit = true, now.Add(leaving)
		default:
			return killed, stuck(fmt.Sprintf("`godwit up`%s and what has its lock in %s", holder(c.dir).words(), c.dir))
		}
	}
	return killed, ctx.Err()
}
