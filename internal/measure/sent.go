package measure

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/identity"
)

// sender sends files over connections like those between nodes: over loopback, with mutual TLS, the
// same certificates and so the same cipher. What arrives is written to a file and synced. Nothing is
// compared, acknowledged or catalogued, so this is what disk and links allow.
type sender struct {
	l    net.Listener
	near *tls.Config
}

// sender is one with the certificates of the fleet.
func (f *fleet) sender() (*sender, error) {
	id, err := identity.Load(f.dir + "/nodes/n1/identity")
	if err != nil {
		return nil, err
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", id.Server(identity.Node))
	if err != nil {
		return nil, err
	}
	return &sender{l, id.Client(id.Name)}, nil
}

// sent sends a file to as many receivers as there are paths, all at the same time, and removes
// what these wrote out of the time.
func (s *sender) sent(ctx context.Context, from string, to []string) (time.Duration, []float64, error) {
	start := time.Now()
	errs := make([]error, 2*len(to))
	var all sync.WaitGroup
	for i, path := range to {
		all.Go(func() {
			if errs[2*i] = s.send(ctx, from); errs[2*i] != nil {
				errs[2*i] = errors.Join(errs[2*i], s.l.Close()) // nobody comes whom to receive from
			}
		})
		all.Go(func() { errs[2*i+1] = s.receive(path) })
	}
	all.Wait()
	took := time.Since(start)
	for _, path := range to {
		errs = append(errs, os.Remove(path))
	}
	return took, nil, errors.Join(errs...)
}

// sendBytes is how much of a file is read or written at a time.
const sendBytes = 1 << 20

// send ends when the other side has said, by closing, that the file is on the disk.
func (s *sender) send(ctx context.Context, from string) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	conn, err := (&tls.Dialer{Config: s.near}).DialContext(ctx, "tcp", s.l.Addr().String())
	if err != nil {
		return err
	}
	defer conn.Close()
	// Without the wrappers the buffer would not be used.
	if _, err = io.CopyBuffer(struct{ io.Writer }{conn}, struct{ io.Reader }{file}, make([]byte, sendBytes)); err != nil {
		return err
	}
	if err = conn.(*tls.Conn).CloseWrite(); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, conn)
	return err
}

func (s *sender) receive(path string) error {
	conn, err := s.l.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{file}, struct{ io.Reader }{conn}, make([]byte, sendBytes))
	return errors.Join(err, file.Sync(), file.Close())
}

func (s *sender) close() error { return s.l.Close() }
