package data

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
)

// readText implements texter with arrow-go's reader.
func (s *parquetFile) readText(ctx context.Context, chunk int, columns []int, _ []bool, parts []partText) (err error) {
	defer guard(s.input.path, &err)
	for k, c := range columns {
		if err := s.readTextColumn(ctx, chunk, c, &parts[k]); err != nil {
			return err
		}
	}
	return nil
}

func (s *parquetFile) readTextColumn(ctx context.Context, chunk, column int, p *partText) error {
	leaf, col := s.leaves[column], &s.cols[column]
	reader, err := s.reader.RowGroup(s.groups[chunk]).Column(leaf.index)
	if err != nil {
		return s.damagedColumn(col, err)
	}
	r, ok := reader.(*file.ByteArrayColumnChunkReader)
	if !ok || leaf.maxRep > 0 || leaf.maxDef > 1 {
		return columnError(s.input.path, col, "it is nested, or of an unexpected physical type")
	}
	rows := int(s.chunks[chunk].Rows())
	p.codes = make([]int32, 0, rows)
	values := make([]parquet.ByteArray, slowBatch)
	def := make([]int16, slowBatch)
	for len(p.codes) < rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, present, err := r.ReadBatch(slowBatch, values, def, nil)
		if err == nil && n == 0 {
			err = fmt.Errorf("%d values were expected, %d are there", rows, len(p.codes))
		}
		if err != nil {
			return s.damagedColumn(col, err)
		}
		if len(p.codes)+int(n) > rows {
			return s.damagedColumn(col, fmt.Errorf("more than %d values", rows))
		}
		next := 0
		for i := range int(n) {
			if leaf.maxDef > 0 && def[i] == 0 {
				p.null()
				continue
			}
			if next >= present {
				return s.damagedColumn(col, fmt.Errorf("%d values are missing", int(n)-i))
			}
			p.add(values[next])
			next++
		}
	}
	return nil
}
