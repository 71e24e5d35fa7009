package parcel

import (
	"fmt"
	"strconv"
)

// A FormatError says why bytes are not a parcel, or not the payload that they
// were taken for.
type FormatError struct {
	Part     string // what was being read: "header", "task", …
	Offset   int    // in that part
	Field    string
	Expected string
	Found    string
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("parcel: %s, byte %d: %s: expected %s, found %s", e.Part, e.Offset, e.Field, e.Expected, e.Found)
}

func atMost(n uint64) string { return "at most " + strconv.FormatUint(n, 10) }

func atLeast(n uint64) string { return "at least " + strconv.FormatUint(n, 10) }

func number(n uint64) string { return strconv.FormatUint(n, 10) }
