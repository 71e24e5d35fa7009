package fleet

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
)

// Ports of nodes on one machine are looked for from firstPort on. Processes that look at
// the same time begin at different blocks.
const (
	firstPort = 10_000
	portBlock = 32
)

// ports are those that a fleet has for its nodes. Each is reserved among all fleets of the
// machine for as long as this process lives, also while nobody listens there, by
// a socket in the abstract name space (unix(7)), which leaves nothing behind.
type ports struct {
	reserved map[string]net.Listener // by address
}

func newPorts() *ports { return &ports{map[string]net.Listener{}} }

var errReserved = errors.New("another godwit up on this machine has it for one of its nodes")

// reserve takes an address of the loopback interface if nobody has it.
func (p *ports) reserve(at string) error {
	if p.reserved[at] == nil {
		r, err := net.Listen("unix", "@godwit/"+at)
		if err != nil {
			return errReserved
		}
		p.reserved[at] = r
	}
	if err := unused(at); err != nil {
		p.release(at)
		return err
	}
	return nil
}

// unused reports whether one can listen at an address now.
func unused(at string) error {
	l, err := net.Listen("tcp", at)
	if err != nil {
		return err
	}
	return l.Close()
}

func (p *ports) release(at string) {
	if r := p.reserved[at]; r != nil {
		r.Close()
		delete(p.reserved, at)
	}
}

func (p *ports) close() {
	for at := range p.reserved {
		p.release(at)
	}
}

// choose reserves n ports of the loopback interface that nobody uses now, and that nobody
// gets by chance before a node listens there, or while it is down: they lie below those
// that the system gives to connections. None of them is in taken.
func (p *ports) choose(n int, taken map[string]bool) ([]string, error) {
	end := ephemeral()
	if end < firstPort+1000 { // few are left below: a chance remains
		end = 1 << 16
	}
	var list []string
	var busy error
	begin := os.Getpid() * portBlock
	for tries := 0; len(list) < n; tries++ {
		if tries > end-firstPort {
			for _, at := range list {
				p.release(at)
			}
			return nil, fmt.Errorf("only %d of %d ports found that are free, of %d to %d: %w", len(list), n, firstPort, end-1, busy)
		}
		port := firstPort + (begin+tries)%(end-firstPort)
		at := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		if taken[at] || p.reserved[at] != nil {
			continue
		}
		if err := p.reserve(at); err != nil {
			busy = err
			continue
		}
		list = append(list, at)
	}
	return list, nil
}

// ephemeral is the first port that the system gives to connections, see ip(7).
func ephemeral() int {
	const usual = 32_768
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return usual
	}
	var first, last int
	if _, err := fmt.Sscan(string(text), &first, &last); err != nil {
		return usual
	}
	return first
}

// FreePorts are addresses of the loopback interface for nodes that are started by hand. Nobody
// keeps them free.
func FreePorts(n int) ([]string, error) {
	p := newPorts()
	defer p.close()
	return p.choose(n, nil)
}
