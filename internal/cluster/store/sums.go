package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/digest"
	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/data/whole"
)

// A file of sums is, in little-endian order: the magic, the shard's SHA-256, its length,
// the sum of each block, and the XXH3 of all that. It can be made again from a shard that
// has its SHA-256, so one that is damaged or missing costs no replica.
const (
	sumsMagic  = "godwit sums 1\n\x00\x00"
	sumsHeader = len(sumsMagic) + sha256.Size + 8
)

// encodeSums makes the bytes of a file of sums.
func (f *File) encodeSums(sums data.Sums) []byte {
	b := make([]byte, 0, sumsHeader+8*len(sums.List)+8)
	b = append(append(b, sumsMagic...), f.Sum[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(sums.Size))
	for _, x := range sums.List {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return binary.LittleEndian.AppendUint64(b, xxh3.Hash(b))
}

// readSums reads a file of sums, which has no more bytes than it should.
func (f *File) readSums(path string) ([]byte, error) {
	return regular.Read(path, int64(sumsHeader)+8*data.Blocks(f.Bytes)+8)
}

// rewrite replaces a file, whatever lies in its place.
func (s *Store) rewrite(path string, b []byte) error {
	if st, err := os.Lstat(path); err == nil && st.IsDir() { // which no file can replace
		to := filepath.Join(s.damagedDir(), fmt.Sprintf("%s-%d", filepath.Base(path), time.Now().UnixNano()))
		if err := os.Rename(path, to); err != nil {
			return err
		}
	}
	return whole.Write(path, b, 0o644)
}

// decodeSums reads what encodeSums made of this file's sums.
func (f *File) decodeSums(b []byte) (sums data.Sums, err error) {
	le := binary.LittleEndian
	body := len(b) - 8
	switch {
	case body < sumsHeader || (body-sumsHeader)%8 != 0 || string(b[:len(sumsMagic)]) != sumsMagic:
		return sums, errors.New("its file of checksums is none")
	case le.Uint64(b[body:]) != xxh3.Hash(b[:body]):
		return sums, errors.New("its file of checksums is damaged")
	}
	sum, size := b[len(sumsMagic):][:sha256.Size], int64(le.Uint64(b[sumsHeader-8:]))
	for at := sumsHeader; at < body; at += 8 {
		sums.List = append(sums.List, le.Uint64(b[at:]))
	}
	sums.Size = size
	if !bytes.Equal(sum, f.Sum[:]) || size != f.Bytes || !sums.Fits() {
		return sums, errors.New("its file of checksums is that of another file")
	}
	return sums, nil
}

// sumUp reads a whole file, compares its SHA-256 with the one that it must have, and
// makes the sums of its blocks in the same pass.
func sumUp(r io.Reader, want [32]byte) (data.Sums, error) {
	h, sums := sha256.New(), new(data.Summing)
	if _, err := io.CopyBuffer(io.MultiWriter(h, sums), struct{ io.Reader }{r}, make([]byte, 1<<20)); err != nil {
		return data.Sums{}, err
	}
	if got := [32]byte(h.Sum(nil)); got != want {
		return data.Sums{}, fmt.Errorf("the file has SHA-256 %s, expected %s", digest.Short(got), digest.Short(want))
	}
	return sums.Sums(), nil
}

// sumsOf gives the sums of a shard at start: those beside it, or, of a shard of an earlier
// version or if they are damaged, new ones, after a check of the whole file.
func (s *Store) sumsOf(f File, file *os.File) (data.Sums, error) {
	b, err := f.readSums(s.sumsPath(f.key()))
	if err == nil && !s.opt.Verify {
		if sums, err := f.decodeSums(b); err == nil {
			return sums, nil
		}
	}
	sums, err := sumUp(io.NewSectionReader(file, 0, f.Bytes), f.Sum)
	if err != nil {
		return sums, err
	}
	if again := f.encodeSums(sums); !bytes.Equal(b, again) {
		_ = s.rewrite(s.sumsPath(f.key()), again) // on a full disk they are made again at the next start
	}
	return sums, nil
}

// openShard opens a shard's file, of which no byte is used that does not have its sum. It
// owns the file.
func (s *Store) openShard(f File, path string, file *os.File, sums data.Sums) (*Shard, error) {
	c, err := data.NewChecked(path, file, sums, func(e *data.DamageError) error { return &DamageError{f, e} })
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	as, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	src, err := data.OpenChecked(path, file, c)
	if err != nil {
		return nil, err
	}
	if src.Rows() != f.Hi-f.Lo {
		err := fmt.Errorf("the file has %d rows, expected %d", src.Rows(), f.Hi-f.Lo)
		return nil, errors.Join(err, src.Close())
	}
	return &Shard{File: f, Source: src, s: s, as: as, file: file, check: c, readers: 1}, nil
}

// openPath is openShard for a file that has a name.
func (s *Store) openPath(f File, path string, sums data.Sums) (*Shard, error) {
	file, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	return s.openShard(f, path, file, sums)
}

// ReadPart reads bytes of a shard's file, compared with its checksums, for copying it to
// another node.
func (s *Store) ReadPart(f File, offset int64, b []byte) error {
	h, err := s.Shard(f.Set, f.Shard)
	if errors.Is(err, ErrNotHere) {
		return f.wrong("it is not here")
	}
	if err != nil {
		return err
	}
	defer h.Release()
	if h.File != f {
		return f.wrong("another file of rows %d to %d and %d bytes is here", h.Lo, h.Hi, h.Bytes)
	}
	if offset < 0 || int64(len(b)) > f.Bytes || offset > f.Bytes-int64(len(b)) {
		return f.wrong("a part of %d bytes at %d does not lie in a file of %d", len(b), offset, f.Bytes)
	}
	_, err = h.check.ReadAt(b, offset)
	return err
}
