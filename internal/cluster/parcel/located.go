package parcel

import (
	"encoding/binary"
	"fmt"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
)

// Located is where a shard's file is open: other processes of the same machine and user read it there. It answers a Gather with Where, in two columns:
// five numbers of 8 bytes, and the checksums, all in little-endian order.
type Located struct {
	Peer          catalog.Peer // the node
	File          uint64       // the descriptor in its process
	Device, Inode uint64       // by which the file is told from others
	Size          int64
	Sums          []uint64 // of its blocks
}

// Answer is what says so.
func (l *Located) Answer() *Answer {
	var head, sums []byte
	for _, n := range [...]uint64{uint64(l.Peer), l.File, l.Device, l.Inode, uint64(l.Size)} {
		head = binary.LittleEndian.AppendUint64(head, n)
	}
	for _, n := range l.Sums {
		sums = binary.LittleEndian.AppendUint64(sums, n)
	}
	return &Answer{Columns: [][]byte{head, sums}}
}

// ReadLocated reads what Answer made. Whether the sums fit the size is for their reader to see.
func ReadLocated(a *Answer) (*Located, error) {
	if len(a.Columns) != 2 || len(a.Columns[0]) != 40 || len(a.Columns[1])%8 != 0 {
		return nil, fmt.Errorf("where a shard is: expected columns of 40 bytes and of words, found %d columns", len(a.Columns))
	}
	at := func(b []byte, i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	head, sums := a.Columns[0], a.Columns[1]
	l := &Located{Peer: catalog.Peer(at(head, 0)), File: at(head, 1), Device: at(head, 2), Inode: at(head, 3), Size: int64(at(head, 4))}
	for i := range len(sums) / 8 {
		l.Sums = append(l.Sums, at(sums, i))
	}
	return l, nil
}
