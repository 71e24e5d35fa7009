package daemon

import "github.com/godwit-run/godwit/internal/engine/mem"

// area is kernel memory for what travels with a parcel.
type area struct{ span mem.Span }

// areaSize is the size of the areas that are kept for the next job, enough for
// thousands of states.
const areaSize = 256 << 10

// area gives at least n bytes, whose contents are arbitrary.
func (c *columns) area(n int64) (*area, error) {
	if n <= areaSize {
		select {
		case a := <-c.spare:
			return a, nil
		default:
			n = areaSize
		}
	}
	s, err := c.alloc(n)
	if err != nil {
		return nil, err
	}
	return &area{s}, nil
}

// putArea takes an area back.
func (c *columns) putArea(a *area) {
	if a.span.Len <= areaSize {
		select {
		case c.spare <- a:
			return
		default:
		}
	}
	c.eng.Arena().Free(a.span)
}
