package worker

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/godwit-run/godwit/internal/engine/object"
	"golang.org/x/sys/unix"
)

// code is the linked program.
type code struct {
	name              string
	image             *object.Image
	main, bound, init uintptr // X_payload_bound and X_payload_init may be 0
	api               *api
	limit             int64 // of bytes
}

// link loads the libraries and places the object.
func link(p *program) (*code, error) {
	for _, d := range p.Deps {
		if filepath.Base(d) != d {
			return nil, fmt.Errorf("the package depends on %q: expected the name of a library, not a path", d)
		}
	}
	deps, err := open(p.Deps)
	if err != nil {
		return nil, err
	}
	exports, err := open(p.Exports)
	if err != nil {
		return nil, err
	}
	c := &code{name: p.Name, limit: p.bytes}
	c.api = &api{libraries: append(exports, deps...), sends: p.sends, bytes: p.bytes}
	functions, missing := c.api.functions(), false
	c.image, err = object.Link(p.Object, func(symbol string) (uintptr, bool) {
		if a, ok := functions[symbol]; ok {
			return a, true
		}
		if a, ok := object.Library(symbol); ok {
			return a, true
		}
		a, ok := find(deps, symbol)
		missing = missing || !ok
		return a, ok
	})
	if err != nil && missing {
		err = fmt.Errorf("%w (the libraries that the package names: %q)", err, p.Deps)
	}
	if err != nil {
		return nil, err
	}
	return c, c.entries()
}

// entries finds the functions that make an object a package.
func (c *code) entries() error {
	var ok bool
	if c.main, ok = c.image.Symbol(c.name + "_main"); !ok {
		return fmt.Errorf("the object does not define %s_main", c.name)
	}
	c.bound, _ = c.image.Symbol(c.name + "_payload_bound")
	c.init, ok = c.image.Symbol(c.name + "_payload_init")
	if ok && c.bound == 0 {
		return fmt.Errorf("the object defines %s_payload_init, but not %[1]s_payload_bound, which says how large a payload can be", c.name)
	}
	return nil
}

// answer does what a question asks for.
func (c *code) answer(q *question, fds []int) (o *Outcome, err error) {
	regions, err := mapRegions(q.grants, fds)
	defer func() {
		for _, r := range regions {
			err = errors.Join(err, r.memory.free())
		}
	}()
	if err != nil {
		return nil, err
	}
	payload, err := guarded(int64(len(q.payload)), -1, true)
	if err != nil {
		return nil, fmt.Errorf("the payload: %w", err)
	}
	defer payload.free()
	copy(payload.bytes(int64(len(q.payload))), q.payload)
	c.api.begin(q, regions)
	began := time.Now()
	if q.init {
		err = c.makePayload(payload, int64(len(q.payload)))
	} else {
		object.Call(c.main, uintptr(payload.at), uintptr(len(q.payload)), 0)
	}
	o = c.api.end()
	o.Run = time.Since(began)
	return o, err
}

// makePayload runs X_payload_bound and X_payload_init; without them the arguments
// are the payload.
func (c *code) makePayload(args *mapping, n int64) error {
	if c.init == 0 {
		c.api.made(args.bytes(n))
		return nil
	}
	most := int64(object.Call(c.bound, uintptr(args.at), uintptr(n)))
	if most < 0 || most > c.limit {
		return fmt.Errorf("%s_payload_bound gives %d bytes; the node accepts at most %d", c.name, uint64(most), c.limit)
	}
	payload, err := guarded(most, -1, true)
	if err != nil {
		return err
	}
	defer payload.free()
	size, err := guarded(8, -1, true)
	if err != nil {
		return err
	}
	defer size.free()
	*(*int64)(size.at) = most
	if r := int32(object.Call(c.init, uintptr(payload.at), uintptr(size.at), uintptr(args.at), uintptr(n))); r != 0 {
		return fmt.Errorf("%s_payload_init refuses the arguments: it returned %d", c.name, r)
	}
	used := *(*int64)(size.at)
	if used < 0 || used > most {
		return fmt.Errorf("%s_payload_init says that it wrote %d bytes; %s_payload_bound allowed %d", c.name, uint64(used), c.name, most)
	}
	c.api.made(payload.bytes(used))
	return nil
}

// mapRegions maps what was granted, and closes the descriptors.
func mapRegions(grants []granted, fds []int) (map[string]region, error) {
	defer func() {
		for _, fd := range fds {
			unix.Close(fd)
		}
	}()
	if len(grants) != len(fds) {
		return nil, fmt.Errorf("%d regions are granted, but %d descriptors came", len(grants), len(fds))
	}
	regions := map[string]region{}
	for i, g := range grants {
		m, err := guarded(g.size, fds[i], g.write)
		if err != nil {
			return regions, fmt.Errorf("region %q: %w", g.name, err)
		}
		regions[g.name] = region{m, g.size}
	}
	return regions, nil
}
