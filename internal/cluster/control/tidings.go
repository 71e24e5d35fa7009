package control

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/godwit-run/godwit/internal/data/regular"
)

// rhythm is how a member's process shows that it lives.
type rhythm struct {
	beating  time.Duration
	touching time.Duration // between writes to its disk
	hanging  time.Duration // for one of them; then it has no signs of life any more
}

var usual = rhythm{250 * time.Millisecond, 5 * time.Second, 30 * time.Second}

// tiding is a line that a member's process writes for its node. An empty one is a sign of life.
type tiding struct {
	Ready   bool   `json:"ready,omitempty"`   // it is a member, and has a majority
	Lost    bool   `json:"lost,omitempty"`    // its records are gone, for this reason
	Damaged bool   `json:"damaged,omitempty"` // its records are damaged, for this reason
	Reason  string `json:"reason,omitempty"`
}

// tidings are the lines on their way. A node that hangs does not read, which then stops only
// who writes here, never etcd.
type tidings struct {
	mu sync.Mutex
	to io.Writer

	examining atomic.Int64 // when the examination of the files last got on (Unix ns); 0 when there is none
}

// step notes that the examination gets on, and examined that it has ended.
func (t *tidings) step()     { t.examining.Store(time.Now().UnixNano()) }
func (t *tidings) examined() { t.examining.Store(0) }

// stuck reports that an examination hangs.
func (t *tidings) stuck(limit time.Duration) bool {
	last := t.examining.Load()
	return last != 0 && time.Since(time.Unix(0, last)) > limit
}

func (t *tidings) tell(what tiding) {
	line, _ := json.Marshal(what) // never fails
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = t.to.Write(append(line, '\n')) // the node may have ended
}

func (t *tidings) ready() { go t.tell(tiding{Ready: true}) }

// gone tells that the records are, if that is what the error says.
func (t *tidings) gone(err error) {
	reason := fmt.Sprintf("%.1000s", err) // a line that is too long would not be read
	switch {
	case errors.As(err, new(*LostError)), errors.As(err, new(*RemovedError)):
		t.tell(tiding{Lost: true, Reason: reason})
	case errors.As(err, new(*DamageError)):
		t.tell(tiding{Damaged: true, Reason: reason})
	}
}

// lastWords are what etcd and raft say of a log that is no longer what they have written, where an
// examination of this member alone cannot find it: others know that it had more.
var lastWords = []string{"Was the raft log corrupted, truncated, or lost?", "failed to read WAL, cannot be repaired", "failed to repair WAL"}

// died tells of damage if that is what etcd ends its process for, and not the system.
func (t *tidings) died(dir, what string, why error) {
	if errors.As(why, new(syscall.Errno)) {
		return
	}
	for _, w := range lastWords {
		if strings.Contains(what, w) {
			t.gone(&DamageError{dir, strings.TrimSpace(fmt.Sprint(what, " ", cmp.Or(why, errors.New(""))))})
		}
	}
}

// beat gives signs of life until ctx ends, as long as neither touch nor the examination hangs.
func (t *tidings) beat(ctx context.Context, touch func(), r rhythm) {
	began, touched := time.Now(), make(chan struct{}, 1)
	touched <- struct{}{}
	busy := false
	for {
		select {
		case <-touched:
			busy = false
		default:
		}
		if !busy && time.Since(began) >= r.touching {
			began, busy = time.Now(), true
			go func() { touch(); touched <- struct{}{} }()
		}
		if (!busy || time.Since(began) < r.hanging) && !t.stuck(r.hanging) {
			t.tell(tiding{})
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(r.beating):
		}
	}
}

// touch writes to the member's disk. Whether that succeeds is for etcd to say; here it counts
// that it ends.
func touch(dir string) func() {
	return func() {
		path := filepath.Join(dir, "alive")
		f, err := regular.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
		if errors.As(err, new(*regular.Error)) {
			_ = os.Remove(path) // the next one makes it anew; a folder with something in it stays
		}
		if err != nil {
			return
		}
		defer f.Close()
		_, _ = f.WriteAt([]byte{0}, 0)
		_ = f.Sync()
	}
}

// errVanished ends a member whose files were removed: what it writes goes nowhere.
var errVanished = errors.New("the files of the control's member were removed while it ran")

// stays looks after the member's files, and gives an error when they are not there any more.
func stays(ctx context.Context, dir string) error {
	for {
		for _, path := range []string{logDir(dir), database(dir)} {
			if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
				return errVanished
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
		}
	}
}

// listen gives the lines of a member's process until it ends.
func listen(from io.Reader, heard func(tiding)) {
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		var t tiding
		if json.Unmarshal(lines.Bytes(), &t) == nil {
			heard(t)
		}
	}
}
