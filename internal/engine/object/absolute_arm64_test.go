package object

import "testing"

func TestAbsolute(t *testing.T) {
	dir, _ := objects(t)
	image, err := Link(load(t, dir, "absolute.o"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer image.Close()
	compare(t, image, map[string]func(int64) int64{"absolute": func(x int64) int64 { return 33 * (x&3 + 1) }})
}
