package daemon

import (
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/node"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/cluster/repair"
)

// What a load has stored goes when its client is dead: nothing came for it between two looks.
// A load that goes on keeps what it has.
func TestDeadLoad(t *testing.T) {
	inMemory(t)
	k := keep(t, Scrub{})
	const owner = "client/a"
	set, err := k.ctl.Allocate(control.For(t.Context(), owner))
	must(t, err)
	do := func(kind parcel.Kind, shard uint32) {
		t.Helper()
		b := k.blob(nil)
		if b.Set, b.Shard = set, shard; kind == parcel.Put {
			b.Bytes = k.good
		}
		_, err := k.Daemon.keep(t.Context(), &node.Start{Client: catalog.FirstClient, Owner: owner}, &node.Keep{Kind: kind, Blob: b})
		must(t, err)
	}
	revision := func() int64 {
		r, _, err := k.cfg.Membership.Reserved(t.Context(), set)
		must(t, err)
		return r.Revision
	}
	refreshed := func(after int64) {
		t.Helper()
		for end := time.Now().Add(time.Minute); revision() == after; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("others are not told that something was stored")
			}
		}
	}
	r := &repairs{d: k.Daemon}
	n := repair.Name{Set: set, Shard: 0}
	look := func() (stays bool) {
		r.unclaimed(n)
		_, stays = k.Daemon.file(set, 0)
		return stays
	}
	before := revision()
	do(parcel.Put, 0)
	do(parcel.Seal, 0)
	refreshed(before)
	if !look() {
		t.Fatal("a shard went at the first look")
	}
	before = revision()
	do(parcel.Put, 1)
	if now := revision(); now != before {
		t.Error("the reservation is refreshed with each part")
	}
	k.reserved.mu.Lock()
	k.reserved.sets[set].refreshed -= refreshEvery.Microseconds()
	k.reserved.mu.Unlock()
	do(parcel.Drop, 1)
	do(parcel.Put, 1)
	refreshed(before)
	if !look() {
		t.Error("a shard went although its load goes on")
	}
	if look() {
		t.Error("a shard stays although nothing came between two looks")
	}
	if _, reserved, err := k.cfg.Membership.Reserved(t.Context(), set); reserved || err != nil {
		t.Errorf("the number stays reserved: %v", err)
	}
}
