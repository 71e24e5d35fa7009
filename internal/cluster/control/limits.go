package control

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Limits of a data set. Its record is read by everyone, and any client may have one written.
const (
	maxColumns  = 4096
	maxStored   = 500 // bytes of a type's own name; a nested list of Arrow has 40 for each level
	maxDims     = 8
	maxWidth    = 1 << 40 // elements in a row of a column
	maxReplicas = 64
	maxRows     = 1 << 48
	maxBytes    = 1 << 46 // of a shard's file
	maxRecord   = 1 << 20 // bytes; etcd takes 1.5 MiB in one transaction
)

// CheckTable says why the columns, the rows and the number of shards of a set cannot be those
// of one that is committed. A load asks before it stores anything.
func CheckTable(s *catalog.Set) error {
	invalid := func(text string, args ...any) error {
		return &InvalidError{fmt.Sprintf("data set %q: ", s.Name) + fmt.Sprintf(text, args...)}
	}
	column, hashed := catalog.HashColumn(s.By)
	switch {
	case s.By != catalog.ByBlocks && s.By != catalog.ByRows && (!hashed || !printable(column, 1, maxName)):
		return invalid("its rows are assigned by %.*q; blocks, rows or hash(COLUMN), with a name of at most %d bytes, was expected", maxName, s.By, maxName)
	case len(s.Columns) < 1 || len(s.Columns) > maxColumns:
		return invalid("it has %d columns; 1 to %d were expected", len(s.Columns), maxColumns)
	case len(s.Shards) > catalog.MaxShards:
		return invalid("it has %d shards; at most %d were expected", len(s.Shards), catalog.MaxShards)
	case s.Rows > maxRows:
		return invalid("it has %d rows; at most %d were expected", s.Rows, int64(maxRows))
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		switch {
		case !printable(c.Name, 1, maxName):
			return invalid("column %d has the name %.*q of %d bytes; 1 to %d bytes of printable text were expected", i, maxName, c.Name, len(c.Name), maxName)
		case !printable(c.Stored, 0, maxStored):
			return invalid("column %q is stored as %.*q, of %d bytes; at most %d bytes of printable text were expected", c.Name, maxName, c.Stored, len(c.Stored), maxStored)
		case c.Kind != num.Invalid && !c.Kind.Valid():
			return invalid("column %q has no known kind", c.Name)
		case c.Means.Sort != meaning.None && !c.Kind.IsInt():
			return invalid("column %q has values of kind %s that stand for %s; integers were expected", c.Name, c.Kind, c.Means)
		case c.Blank && (c.Means.Sort != meaning.Text && !c.Unknown || len(c.Dims) > 0):
			return invalid("column %q has fields that CSV left empty and is %s; texts, one in a row, were expected", c.Name, c.Type())
		case len(c.Dims) > maxDims:
			return invalid("column %q has %d dimensions; at most %d were expected", c.Name, len(c.Dims), maxDims)
		}
		width := int64(1)
		for _, n := range c.Dims {
			if n < 1 || n > maxWidth/width {
				return invalid("column %q has the dimensions %d; each at least 1, and together at most %d elements in a row were expected", c.Name, c.Dims, int64(maxWidth))
			}
			width *= n
		}
	}
	return nil
}

// checkNew says why a set cannot be committed, in addition to checkSet. What was committed by
// other versions is still read.
func checkNew(s *catalog.Set) error {
	if err := checkSet(s); err != nil {
		return err
	}
	if err := CheckTable(s); err != nil {
		return err
	}
	for _, c := range s.Columns {
		if c.Means.Sort == meaning.Text && s.Texts == 0 {
			return &InvalidError{fmt.Sprintf("data set %q: column %q is text, and no dictionary is named", s.Name, c.Name)}
		}
	}
	row := rowBits(s.Columns)
	for i, h := range s.Shards {
		if len(h.Assigned) > maxReplicas {
			return &InvalidError{fmt.Sprintf("data set %q: shard %d has %d replicas; at most %d were expected", s.Name, i, len(h.Assigned), maxReplicas)}
		}
		if h.Bytes > maxBytes {
			return &InvalidError{fmt.Sprintf("data set %q: shard %d has %d bytes; at most %d were expected", s.Name, i, h.Bytes, int64(maxBytes))}
		}
		if row > 0 && h.Hi-h.Lo > h.Bytes*8/row {
			return &InvalidError{fmt.Sprintf("data set %q: shard %d has %d rows of at least %d bits in %d bytes; a file that has room for them was expected", s.Name, i, h.Hi-h.Lo, row, h.Bytes)}
		}
	}
	if n := len(encodeSet(s)); n > maxRecord {
		return &InvalidError{fmt.Sprintf("data set %q, of %d columns and %d shards, needs a record of %d bytes; at most %d were expected: use fewer shards, replicas or columns", s.Name, len(s.Columns), len(s.Shards), n, maxRecord)}
	}
	return nil
}

// rowBits is the least that a row takes in a file: a bool is one bit. CheckTable has accepted
// the columns, so that it does not overflow.
func rowBits(columns []catalog.Column) (bits int64) {
	for i := range columns {
		n := int64(0)
		switch k := columns[i].Kind; {
		case k == num.Bool:
			n = 1
		case k.Valid():
			n = 8 * int64(k.Size())
		}
		for _, d := range columns[i].Dims {
			n *= d
		}
		bits += n
	}
	return bits
}

func printable(s string, least, most int) bool {
	return len(s) >= least && len(s) <= most && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
