package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/control"
	"github.com/godwit-run/godwit/internal/cluster/site"
)

// In: how the members of etcd are, from time to time. Out: events when one is down for long,
// answers again, or was replaced, and when a majority is missing or is back.

const (
	overseeing = 10 * time.Second // between looks
	downLong   = 30 * time.Second
)

// oversee looks after the members until the fleet ends.
func (f *Fleet) oversee() {
	w := &watch{since: time.Now()}
	tick := time.NewTicker(overseeing)
	defer tick.Stop()
	for {
		select {
		case <-f.ctx.Done():
			return
		case <-tick.C:
		}
		for _, e := range w.take(f.members(), time.Now()) {
			f.say(e)
		}
	}
}

// members asks a node; nil without an answer.
func (f *Fleet) members() []control.MemberState {
	ctx, cancel := context.WithTimeout(f.ctx, asking)
	defer cancel()
	c, err := site.Connect(ctx, f.opt.Dir, site.Options{})
	if err != nil {
		return nil
	}
	defer c.Close()
	return c.Members(ctx)
}

// watch is what was said of members already.
type watch struct {
	since    time.Time // what was replaced before is not news
	down     map[string]bool
	replaced map[string]time.Time
	without  bool // a majority, as was said
	missed   int  // looks in a row that found none
}

// take gives what is new.
func (w *watch) take(list []control.MemberState, now time.Time) (news []Event) {
	if len(list) == 0 {
		return nil
	}
	if w.down == nil {
		w.down, w.replaced = map[string]bool{}, map[string]time.Time{}
	}
	for _, m := range list {
		long := m.Role == control.Down && now.Sub(m.Since) >= downLong
		switch {
		case long && !w.down[m.Name]:
			news = append(news, Event{"member-down", m.Name, fmt.Sprintf("the member of etcd at %s has not answered since %s; its node's log says why", m.Name, m.Since.Format(time.TimeOnly))})
			w.down[m.Name] = true
		case m.Role != control.Down && w.down[m.Name]:
			news = append(news, Event{"member-up", m.Name, fmt.Sprintf("the member of etcd at %s answers again", m.Name)})
			w.down[m.Name] = false
		}
		if r := m.Replaced; r != nil && r.Time.After(w.since) && r.Time.After(w.replaced[m.Name]) {
			news = append(news, Event{"member-replaced", m.Name, fmt.Sprintf("the member of etcd at %s was replaced: %s", m.Name, r.Reason)})
			w.replaced[m.Name] = r.Time
		}
	}
	has, voters, up := control.Majority(list)
	if w.missed++; has {
		w.missed = 0
	}
	switch {
	case !has && !w.without && w.missed < 2: // on a busy machine one look can be too late
		return news
	case !has && !w.without:
		news = append(news, Event{Event: "majority-lost", Text: fmt.Sprintf("etcd has no majority: %d of %d members answer; reads go on, and nothing can be changed until %d do", up, voters, voters/2+1)})
	case has && w.without:
		news = append(news, Event{Event: "majority-back", Text: "etcd has a majority again"})
	}
	w.without = !has
	return news
}
