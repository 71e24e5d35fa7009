package data

import (
	"context"
	"fmt"
)

// ReadRows reads rows lo..hi of a column in its stored kind, as they are stored where they lie that way. There are as many values as rows, and
// with null as many ones, each 1 where the row is present.
func ReadRows(ctx context.Context, src Source, column int, null bool, lo, hi int64, values, ones []byte) error {
	if row := src.Columns()[column].Width() * int64(src.Columns()[column].Kind.Size()); int64(len(values)) != (hi-lo)*row || null && int64(len(ones)) != hi-lo {
		return fmt.Errorf("%s: rows %d to %d have %d bytes each; there is room for %d bytes, and %d ones", src.Path(), lo, hi-1, row, len(values), len(ones))
	}
	raw, ok := src.Raw(column)
	if !ok {
		return decodeRows(ctx, src, column, null, Chunk{lo, hi}, values, ones)
	}
	col := src.Columns()[column]
	if _, err := raw.ReadAt(values, lo*col.Width()*int64(col.Kind.Size())); err != nil {
		return fmt.Errorf("%s: %w", src.Path(), err)
	}
	for i := range ones {
		ones[i] = 1
	}
	return nil
}

// decodeRows decodes rows of each chunk that they lie in.
func decodeRows(ctx context.Context, src Source, column int, null bool, rows Chunk, values, ones []byte) error {
	col := src.Columns()[column]
	row := col.Width() * int64(col.Kind.Size())
	want := []Want{{Column: column, Kind: col.Kind, Option: null}}
	for i, c := range src.Chunks() {
		a, b := max(c.Lo, rows.Lo), min(c.Hi, rows.Hi)
		if a >= b {
			continue
		}
		part := Dest{Values: values[(a-rows.Lo)*row : (b-rows.Lo)*row]}
		if null {
			part.Valid = ones[a-rows.Lo : b-rows.Lo]
		}
		if err := FillRows(ctx, src, i, Chunk{Lo: a, Hi: b}, want, []Dest{part}); err != nil {
			return err
		}
	}
	return nil
}
