package data

import "context"

// In: some rows of a chunk. Out: what Fill gives for them. Where a format can, nothing else of the chunk is decoded.

// ranged is a source that decodes a part of a chunk at about that part of the price.
type ranged interface {
	// fillRows is Fill for rows that lie in a chunk, which the arguments have been checked for.
	fillRows(ctx context.Context, chunk int, rows Chunk, wants []Want, dst []Dest) (int64, error)
}

// FillRows decodes rows of a chunk into dst, which has room for just these.
func FillRows(ctx context.Context, src Source, chunk int, rows Chunk, wants []Want, dst []Dest) error {
	chunks := src.Chunks()
	if chunk < 0 || chunk >= len(chunks) || rows.Lo > rows.Hi || rows.Lo < chunks[chunk].Lo || rows.Hi > chunks[chunk].Hi {
		return fail(src.Path(), "rows %d to %d were asked for, which are not in chunk number %d", rows.Lo, rows.Hi-1, chunk)
	}
	if err := checkRows(src, rows, wants, dst); err != nil {
		return err
	}
	c := chunks[chunk]
	if rows == c {
		_, err := src.Fill(ctx, chunk, wants, dst)
		return err
	}
	if r, ok := src.(ranged); ok {
		_, err := r.fillRows(ctx, chunk, rows, wants, dst)
		return err
	}
	whole := make([]Dest, len(wants))
	for i, w := range wants {
		whole[i].Values = make([]byte, c.Rows()*src.Columns()[w.Column].Width()*int64(w.Kind.Size()))
		if w.Option {
			whole[i].Valid = make([]byte, c.Rows())
		}
	}
	if _, err := src.Fill(ctx, chunk, wants, whole); err != nil {
		return err
	}
	for i, w := range wants {
		row := src.Columns()[w.Column].Width() * int64(w.Kind.Size())
		copy(dst[i].Values, whole[i].Values[(rows.Lo-c.Lo)*row:])
		if w.Option {
			copy(dst[i].Valid, whole[i].Valid[rows.Lo-c.Lo:])
		}
	}
	return nil
}
