package run

import "testing"

// TestPortion shows that workers end together: a window is cut where there are few, and whole ones are taken while there are many.
func TestPortion(t *testing.T) {
	for _, c := range []struct {
		workers            int
		window, left, want int64
	}{
		{2, 16, 25, 6}, {2, 16, 5, 2}, {2, 16, 1, 2}, {2, 1, 3, 1}, // what is behind the end is cut off by claim
		{2, 16, 64, 16}, {2, 16, 200, 48}, {2, 16, 1 << 20, 8 * 16}, {8, 16, 300, 16},
		{1, 16, 25, 16}, {1, 16, 1, 16}, {1, 16, 1 << 20, 8 * 16},
	} {
		p := &pass{workers: c.workers, window: c.window}
		if got := p.portion(c.left); got != c.want {
			t.Errorf("%d workers, a window of %d, %d left: %d, expected %d", c.workers, c.window, c.left, got, c.want)
		}
	}
}
