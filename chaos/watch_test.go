package chaos

import "testing"

// Nodes that do not answer are not well, and nodes that were not known before are no leaks.
func TestGrown(t *testing.T) {
	all := func(goroutines int) map[string]holding {
		list := map[string]holding{}
		for _, name := range names {
			list[name] = holding{goroutines: goroutines}
		}
		return list
	}
	for _, c := range []struct {
		name        string
		before, now map[string]holding
		want        int
	}{
		{"as before", all(10), all(10 + moreGoroutines), 0},
		{"more", all(10), all(11 + moreGoroutines), nodeCount},
		{"nobody answers", all(10), nil, 1},
		{"nobody answered", nil, all(1000), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := grown(c.before, c.now); len(got) != c.want {
				t.Errorf("it says %q, expected %d findings", got, c.want)
			}
		})
	}
}
