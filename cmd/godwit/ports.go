package main

import (
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

// freePorts finds ports of the loopback interface that nobody uses now, and that nobody
// gets by chance before a node listens there, or while it is down: they lie below those
// that the system gives to connections.
func freePorts(n int) ([]string, error) {
	end := ephemeral()
	if end < firstPort+1000 { // few are left below: a chance remains
		end = 1 << 16
	}
	var list []string
	var busy error
	begin := os.Getpid() * portBlock
	for tries := 0; len(list) < n; tries++ {
		if tries > end-firstPort {
			return nil, fmt.Errorf("only %d of %d ports found that are free, of %d to %d: %w", len(list), n, firstPort, end-1, busy)
		}
		port := firstPort + (begin+tries)%(end-firstPort)
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			busy = err
			continue
		}
		defer l.Close() // at the end, so that no port comes twice
		list = append(list, l.Addr().String())
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
