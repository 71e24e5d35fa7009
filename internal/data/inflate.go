package data

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// zstdDecoder never writes beyond the capacity it is given, so that a small
// file cannot ask for much memory.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true))
})

var lz4Readers = sync.Pool{New: func() any { return lz4.NewReader(nil) }}

// inflate decompresses a buffer of an Arrow batch into to.
func inflate(codec int8, to, packed []byte) ([]byte, error) {
	switch codec {
	case 0:
		r := lz4Readers.Get().(*lz4.Reader)
		defer lz4Readers.Put(r)
		r.Reset(bytes.NewReader(packed))
		n, err := io.ReadFull(r, to)
		return to[:n], err
	case 1:
		return inflateZstd(to, packed)
	}
	return nil, fmt.Errorf("compression %d is not known", codec)
}

// zstdSlack is how much room behind its result the decoder needs to copy 16 bytes where fewer are meant, which is faster.
const zstdSlack = 16

// inflateZstd decompresses into to, which may have zstdSlack more of capacity; the bytes there are lost.
func inflateZstd(to, packed []byte) ([]byte, error) {
	d, err := zstdDecoder()
	if err != nil {
		return nil, err
	}
	return d.DecodeAll(packed, to[:0:min(cap(to), len(to)+zstdSlack)])
}
