package chaos

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestExcuse: when a call may fail.
func TestExcuse(t *testing.T) {
	now := time.Now()
	at := func(s float64) time.Time { return now.Add(time.Duration(s * float64(time.Second))) }
	whole := func(node string, from, to float64) *trouble {
		return &trouble{node: node, from: at(from), to: at(to)}
	}
	for _, c := range []struct {
		name     string
		troubles []*trouble
		want     verdict
	}{
		{"nothing was the matter", nil, failed},
		{"one of two was down", []*trouble{whole("n4", -1, 5)}, failed},
		{"both were down", []*trouble{whole("n4", -1, 5), whole("n5", 1, 5)}, noReplica},
		{"both were down, one after the other", []*trouble{whole("n4", -1, 1), whole("n5", 1.5, 5)}, failed},
		{"both were down, before the call", []*trouble{whole("n4", -9, -1), whole("n5", -9, -1)}, failed},
		{"both were down, after the call", []*trouble{whole("n4", 5, 9), whole("n5", 5, 9)}, failed},
		{"one is down until now", []*trouble{{node: "n4", from: at(-1)}}, failed},
		{"both are down until now", []*trouble{{node: "n4", from: at(-1)}, {node: "n5", from: at(-1)}}, noReplica},
		{"one was down, the other copy damaged", []*trouble{whole("n4", -1, 5), {node: "n5", set: "v", shard: 1, from: at(0)}}, noReplica},
		{"one was down, another shard damaged", []*trouble{whole("n4", -1, 5), {node: "n5", set: "v", shard: 0, from: at(0)}}, failed},
		{"one was down, another set damaged", []*trouble{whole("n4", -1, 5), {node: "n5", set: "w", shard: 1, from: at(0)}}, failed},
		{"two of the three who keep the records were down", []*trouble{whole("n1", -1, 5), whole("n2", -1, 5)}, noQuorum},
		{"one of the three was down", []*trouble{whole("n1", -1, 5), whole("n4", -1, 5)}, failed},
	} {
		a := newAccount()
		a.hold("v", [][]string{{"n3", "n5"}, {"n4", "n5"}})
		a.troubles = c.troubles
		if got := a.excuse("v", at(0), at(2)); got != c.want {
			t.Errorf("%s: %s, expected %s", c.name, got, c.want)
		}
	}
}

// TestVerdicts has calls answered by a script that stands for godwit.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name, script string
		killAfter    time.Duration
		want         verdict
	}{
		{"the right answer", `echo '{"result": [1, 2], "hops": 7}'`, 0, right},
		{"another one", `echo '{"result": [1, 3], "hops": 7}'`, 0, wrong},
		{"a part of it", `echo '{"result": [1]}'`, 0, wrong},
		{"none", `echo '{}'`, 0, wrong},
		{"an error", `echo 'error: no' >&2; exit 1`, 0, failed},
		{"something that cannot be read", `echo 'panic'`, 0, failed},
		{"a client that is killed", `exec sleep 30`, 100 * time.Millisecond, killed},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "godwit")
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		j, err := newJournal(filepath.Join(dir, "log"))
		if err != nil {
			t.Fatal(err)
		}
		defer j.close()
		r := &run{Config: Config{Dir: dir}, journal: j, report: newReport(1), account: newAccount(), tables: &tables{dir: dir}}
		r.processes = newCluster(file, dir, j, r.report, r.account)
		k := &call{name: "c", set: "v", program: "c.gw", argument: "v=%s", want: []byte("[1, 2]")}
		if e := r.ask(context.Background(), k, "auto", c.killAfter); e.verdict != c.want {
			t.Errorf("%s: %s (%s), expected %s", c.name, e.verdict, e.text, c.want)
		}
	}
}
