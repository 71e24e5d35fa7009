package daemon

import (
	"bytes"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
)

// A file that somebody cuts short while kernels walk over a mapping of it does not end the
// process: whoever cuts waits until they have let go. Answers are right, or say to come again
// or to ask another node; and in the end the replica is set aside.
func TestCutWhileMapped(t *testing.T) {
	k := keep(t, Scrub{})
	var mapped reading
	for _, r := range readings {
		if r.name == "mapped" {
			mapped = r
		}
	}
	var readers sync.WaitGroup
	until := time.Now().Add(10 * time.Second)
	warm := make(chan struct{}, 2)
	for range 2 {
		readers.Go(func() {
			for rounds := 0; time.Now().Before(until); rounds++ {
				got, err := mapped.do(t, k)
				if rounds == 1 {
					warm <- struct{}{}
				}
				var w *node.WorkError
				switch {
				case err == nil && !bytes.Equal(got, mapped.want(k)):
					t.Error("a wrong answer without an error")
				case err == nil:
				case !errors.As(err, &w) || w.Reason != parcel.Busy && w.Reason != parcel.NoShard:
					t.Errorf("an error of another sort: %v", err)
				case w.Reason == parcel.NoShard:
					return
				}
			}
		})
	}
	<-warm
	<-warm
	cut, err := os.OpenFile(k.path(), os.O_WRONLY|os.O_TRUNC, 0) // waits for the lease
	must(t, err)
	must(t, cut.Close())
	readers.Wait()
	if d := k.st.Damaged(); len(d) != 1 || len(k.st.Shards()) != 0 {
		t.Errorf("set aside are %+v", d)
	}
}
