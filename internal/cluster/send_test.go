package cluster_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/caller"
	"github.com/godwit-run/godwit/internal/cluster/parcel"
	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
	"github.com/godwit-run/godwit/internal/packages/pack"
)

// TestSendRefused: what cannot be sent is refused here, and what a node does not run is
// refused there, with what to do about it. That packages run is for the scripts of
// the command, which have workers.
func TestSendRefused(t *testing.T) {
	b := newBed(t, 2)
	table := data.FromBytes("t", []data.Column{
		{Name: "a", Kind: num.I32, Stored: "i4"}, {Name: "b", Kind: num.I32, Stored: "i4"}}, 2, [][]byte{make([]byte, 8), make([]byte, 8)}, nil)
	if err := b.load(table, "t", cluster.LoadOptions{Shards: 1}); err != nil {
		t.Fatal(err)
	}
	pkg, err := pack.Encode(&pack.Package{Name: "x", Sections: []pack.Section{{Arch: "amd64", Form: pack.Object, Bytes: []byte("object")}}})
	if err != nil {
		t.Fatal(err)
	}
	column := func(text string) cluster.SendOptions {
		return cluster.SendOptions{Grants: []cluster.Grant{{Name: "t", Data: text}}}
	}
	many := cluster.SendOptions{Grants: make([]cluster.Grant, parcel.MaxGrants+1)}
	for _, c := range []struct {
		what string
		pkg  []byte
		to   string
		opt  cluster.SendOptions
		want string
	}{
		{"to any", pkg, "any", cluster.SendOptions{}, "refused: this node runs no packages: its operator must start it with --native"},
		{"to a number", pkg, "1", column("@t#b"), "refused: this node runs no packages"},
		{"no package", pkg[:9], "n1", cluster.SendOptions{}, "package, byte "},
		{"no node", pkg, "n3", cluster.SendOptions{}, "no node n3 is alive: there are n1, n2"},
		{"no set", pkg, "n1", column("@u#a"), "no data set @u"},
		{"no column", pkg, "n1", column("@t#c"), `@t has no column "c": it has a, b`},
		{"one of two columns", pkg, "n1", column("@t"), "@t has the columns a, b: name one, as in @t#a"},
		{"neither bytes nor data", pkg, "n1", column("t"), "expected a number of bytes or @SET#COLUMN"},
		{"too many regions", pkg, "n1", many, "65 regions were asked for, at most 64"},
		{"too many hops", pkg, "n1", cluster.SendOptions{Hops: 1 << 16}, "at most 65535 times, not 65536"},
		{"arguments", pkg, "n1", cluster.SendOptions{Args: true}, "cannot make payloads of arguments"},
	} {
		_, err := b.Client.Send(t.Context(), c.pkg, c.to, nil, c.opt)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	var refused *caller.Error
	if _, err := b.Client.Send(t.Context(), pkg, "n2", nil, cluster.SendOptions{Deadline: time.Minute}); !errors.As(err, &refused) || refused.Reason != parcel.Refused || refused.Name != "n2" {
		t.Errorf("%v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Client.Send(ended, pkg, "n1", nil, cluster.SendOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
