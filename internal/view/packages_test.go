package view

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster"
	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/packages/worker"
)

// A node whose workers are not confined says so, even before it has run anything.
func TestUnconfined(t *testing.T) {
	for _, c := range []struct {
		r    daemon.Report
		want string
	}{
		{daemon.Report{Native: true, Workers: &daemon.Workers{}}, ""},
		{daemon.Report{}, ""},
		{daemon.Report{Native: true, Workers: &daemon.Workers{Status: worker.Status{Unconfined: true}}}, "unconfined: -"},
		{daemon.Report{Native: true, Workers: &daemon.Workers{Emulated: true}}, "emulated: -"},
		{daemon.Report{Native: true, Workers: &daemon.Workers{Status: worker.Status{Unconfined: true}, Emulated: true},
			Packages: []daemon.Package{{Name: "f", Hash: "0123456789abcdef", Form: "object"}}}, "unconfined, emulated: f (0123456789ab, object)"},
	} {
		b, err := json.Marshal(c.r)
		if err != nil {
			t.Fatal(err)
		}
		text := Code([]cluster.NodeStatus{{Report: b}})
		if (text == "") != (c.want == "") || !strings.Contains(text, c.want) {
			t.Errorf("%+v: %q, expected %q", c.r, text, c.want)
		}
	}
}
