package ucx

import (
	"encoding/binary"
	"hash/crc32"
)

// A packet is one active message. Layout, little-endian:
//
//	 0  token (8): drawn by the receiver for this direction of the connection
//	 8  number (8): 1 for the first packet of the direction, and one more for each
//	16  heard (8): the number of the last packet that the sender has taken
//	24  sum (4): CRC-32C of the rest
//	28  length of the rest (4)
//	32  records: bytes of a message in it (4), bytes of that message that come after it (4), those bytes
//
// Without records it is a sign of life. A packet is small enough that every transport sends it as one piece, so
// packets come in the order in which they were sent.
const (
	headSize   = 32
	recordHead = 8
	// mostPacket lies below what UCX copies at once: 8 KiB less its own heads.
	mostPacket = 7936
	// leastRoom for another record makes it worth to begin one.
	leastRoom = 64
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

type packetHead struct{ token, number, heard uint64 }

// seal puts the head before the records of a packet.
func seal(packet []byte, h packetHead) {
	binary.LittleEndian.PutUint64(packet, h.token)
	binary.LittleEndian.PutUint64(packet[8:], h.number)
	binary.LittleEndian.PutUint64(packet[16:], h.heard)
	binary.LittleEndian.PutUint32(packet[28:], uint32(len(packet)-headSize))
}

// sum puts the sum there. It is apart from seal, which has to wait for the number.
func sum(packet []byte) {
	binary.LittleEndian.PutUint32(packet[24:], crc32.Checksum(packet[headSize:], castagnoli))
}

// tokenOf is whose packet it is; 0 is nobody's.
func tokenOf(packet []byte) uint64 {
	if len(packet) < headSize {
		return 0
	}
	return binary.LittleEndian.Uint64(packet)
}

// open holds a packet, which has a head, against the number that must come, and gives its records.
func open(packet []byte, number uint64) (heard uint64, records []byte, err error) {
	records = packet[headSize:]
	switch n := binary.LittleEndian.Uint64(packet[8:]); {
	case n != number:
		return 0, nil, broken("packet %d came where %d was to come", n, number)
	case uint64(binary.LittleEndian.Uint32(packet[28:])) != uint64(len(records)):
		return 0, nil, broken("packet %d has %d bytes, not the %d that it says", n, len(records), binary.LittleEndian.Uint32(packet[28:]))
	case binary.LittleEndian.Uint32(packet[24:]) != crc32.Checksum(records, castagnoli):
		return 0, nil, broken("packet %d is damaged", n)
	}
	return binary.LittleEndian.Uint64(packet[16:]), records, nil
}

// putRecord writes a record with as much of a message in two parts as there is room for.
func putRecord(room []byte, first, second []byte) (used int, restFirst, restSecond []byte) {
	n := copy(room[recordHead:], first)
	m := copy(room[recordHead+n:], second)
	first, second = first[n:], second[m:]
	binary.LittleEndian.PutUint32(room, uint32(n+m))
	binary.LittleEndian.PutUint32(room[4:], uint32(len(first)+len(second)))
	return recordHead + n + m, first, second
}

// joiner makes messages of records again.
type joiner struct {
	most    int
	hold    func(bytes int) error
	message []byte // what came of a message that is not whole
	left    int    // bytes of it to come
}

// take reads the records of a packet, and gives each message that is whole then.
func (j *joiner) take(records []byte, give func(message []byte) error) error {
	for len(records) > 0 {
		if len(records) < recordHead {
			return broken("%d bytes are left where a record has %d before it", len(records), recordHead)
		}
		size, after := uint64(binary.LittleEndian.Uint32(records)), uint64(binary.LittleEndian.Uint32(records[4:]))
		records = records[recordHead:]
		switch {
		case size > uint64(len(records)):
			return broken("a record has %d bytes, of %d that came", size, len(records))
		case j.message != nil && (size == 0 || size+after != uint64(j.left)):
			return broken("a record has %d bytes and %d after it, of a message with %d to come", size, after, j.left)
		case j.message == nil && size+after > uint64(j.most):
			return broken("a message has %d bytes: expected at most %d", size+after, j.most)
		case after > 0 && size != uint64(len(records)):
			return broken("a message goes on after a record that is not the last one of its packet")
		}
		if j.message == nil {
			whole := int(size + after)
			if j.hold != nil {
				if err := j.hold(whole); err != nil {
					return err
				}
			}
			j.message, j.left = make([]byte, whole), whole
		}
		copy(j.message[len(j.message)-j.left:], records[:size])
		j.left -= int(size)
		records = records[size:]
		if j.left == 0 {
			m := j.message
			j.message = nil
			if err := give(m); err != nil {
				return err
			}
		}
	}
	return nil
}
