package ucx

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// packets makes packets of messages as a connection does, each message in two parts.
func packets(token uint64, more func(int) bool, messages ...[]byte) (all [][]byte) {
	var p []byte
	post := func() {
		sum(p)
		seal(p, packetHead{token, uint64(len(all)) + 1, 0})
		all, p = append(all, p), nil
	}
	for i, m := range messages {
		first, second := m[:len(m)/3], m[len(m)/3:]
		for begun := false; !begun || len(first)+len(second) > 0; begun = true {
			if p == nil {
				p = make([]byte, headSize, mostPacket)
			}
			var n int
			n, first, second = putRecord(p[len(p):mostPacket], first, second)
			if p = p[:len(p)+n]; len(first)+len(second) > 0 || mostPacket-len(p) < leastRoom {
				post()
			}
		}
		if p != nil && !more(i) {
			post()
		}
	}
	if p != nil {
		post()
	}
	return all
}

// joined is what comes out of packets.
func joined(j *joiner, all [][]byte) (messages [][]byte, err error) {
	for i, p := range all {
		_, records, err := open(p, uint64(i)+1)
		if err != nil {
			return messages, err
		}
		if err := j.take(records, func(m []byte) error { messages = append(messages, m); return nil }); err != nil {
			return messages, err
		}
	}
	return messages, nil
}

// Messages of all sizes come out of packets as they went in, however they were put together.
func TestPackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 100), rapid.IntRange(mostPacket-200, mostPacket+200), rapid.IntRange(0, 50_000)), 1, 20).Draw(t, "sizes")
		together := rapid.Uint32().Draw(t, "together")
		r := rand.New(rand.NewPCG(uint64(together), 1))
		var want [][]byte
		for _, n := range sizes {
			m := make([]byte, n)
			for i := range m {
				m[i] = byte(r.Uint32())
			}
			want = append(want, m)
		}
		all := packets(9, func(i int) bool { return together>>(i%32)&1 == 1 }, want...)
		got, err := joined(&joiner{most: 1 << 20}, all)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%d messages of %d came, %v", len(got), len(want), err)
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Fatalf("message %d of %d bytes is another", i, len(want[i]))
			}
		}
	})
}

// A packet that is damaged, comes twice, or too early is refused, whichever bit of it is another.
func TestDamagedPackets(t *testing.T) {
	all := packets(9, func(int) bool { return true }, []byte("some"), make([]byte, 9000), []byte("words"))
	for _, order := range [][]int{{1}, {0, 0}, {0, 2}} {
		var some [][]byte
		for _, i := range order {
			some = append(some, all[min(i, len(all)-1)])
		}
		var b *BrokenError
		if _, err := joined(&joiner{most: 1 << 20}, some); !errors.As(err, &b) && order[0] != 0 {
			t.Errorf("packets %v: %v", order, err)
		}
	}
	for bit := range 8 * len(all[0]) {
		if bit/8 < 8 || bit/8 >= 16 && bit/8 < 24 {
			continue // the token says whose it is, heard says nothing of the packet
		}
		p := bytes.Clone(all[0])
		p[bit/8] ^= 1 << (bit % 8)
		if _, _, err := open(p, 1); err == nil {
			t.Fatalf("bit %d is another, and nobody notices", bit)
		}
	}
}

// Records that no sender writes are refused, whatever they are.
func FuzzRecords(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 'x'})
	f.Add([]byte{1, 0, 0, 0, 9, 0, 0, 0, 'x'})
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		held := 0
		j := &joiner{most: 1000, hold: func(n int) error { held += n; return nil }}
		for range 2 {
			got := 0
			err := j.take(b, func(m []byte) error { got += len(m); return nil })
			if got > 2*len(b) || err == nil && j.left < 0 || held > 2000+2*len(b) {
				t.Fatalf("%d bytes came out of %d, %d are held", got, len(b), held)
			}
		}
	})
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"lab=tcp:eth1":                 "lab [tcp] [eth1]",
		"lab=tcp:lo,shm":               "lab [tcp shm] [lo]",
		"ib-1=rc:mlx5_0:1,rc:mlx5_1:1": "ib-1 [rc] [mlx5_0:1 mlx5_1:1]",
	} {
		got, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		said := strings.Join([]string{got.Name, "[" + strings.Join(got.Transports, " ") + "]", "[" + strings.Join(got.Devices, " ") + "]"}, " ")
		if said != want {
			t.Errorf("%s: %s, want %s", text, said, want)
		}
	}
	for _, text := range []string{"", "tcp:eth0", "lab=", "lab=tcp", "lab=shm:x", "lab=tcp:", "la b=shm", "lab=tcp:eth0,", "lab=tcp:a b", "=shm", "lab=^tcp:eth0"} {
		if got, err := Parse(text); err == nil || !strings.Contains(err.Error(), "expected") {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
}
