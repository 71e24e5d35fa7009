package godwit_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"log"

	"github.com/godwit-run/godwit"
)

// squares is a table of a caller's own: column x of row i is i². Its rows are made when they
// are read, and never all of them at a time.
type squares struct{ rows int64 }

func (squares) Path() string   { return "squares" }
func (squares) Format() string { return "memory" }
func (s squares) Rows() int64  { return s.rows }
func (squares) Columns() []godwit.Column {
	return []godwit.Column{{Name: "x", Kind: godwit.I64, Stored: "i64"}}
}
func (squares) Raw(int) (godwit.Raw, bool)                                        { return godwit.Raw{}, false }
func (squares) Prune([]godwit.Pred) []bool                                        { return nil }
func (squares) FillPruned(int, []godwit.Pred, []godwit.Want, []godwit.Dest) error { return nil }
func (squares) Unchanged() error                                                  { return nil }
func (squares) Close() error                                                      { return nil }

func (s squares) Chunks() (list []godwit.Chunk) {
	for lo := int64(0); lo < s.rows; lo += 1000 {
		list = append(list, godwit.Chunk{Lo: lo, Hi: min(lo+1000, s.rows)})
	}
	return list
}

func (s squares) Fill(_ context.Context, chunk int, wants []godwit.Want, dst []godwit.Dest) (int64, error) {
	c := s.Chunks()[chunk]
	for i := range wants {
		for row := c.Lo; row < c.Hi; row++ {
			binary.LittleEndian.PutUint64(dst[i].Values[8*(row-c.Lo):], uint64(row*row))
		}
	}
	return 0, nil
}

// A type of one's own that implements Source is an argument like a file.
func ExampleSource() {
	prog, err := godwit.Compile("fn f(x: &[i64; N]) -> i64 { x.sum() }")
	if err != nil {
		log.Fatal(err)
	}
	f, err := prog.Func("f")
	if err != nil {
		log.Fatal(err)
	}
	var table godwit.Source = squares{rows: 2500}
	res, err := f.Call(context.Background(), godwit.Args{"x": table})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res)
	// Output: 5205208750
}
