package measure

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

//go:embed peer/peer.c
var peerSource []byte

// peerFlags are those that a careful C programmer gives.
var peerFlags = []string{"-O3", "-march=native", "-pthread"}

var errNoCompiler = errors.New("no C compiler")

// compiler is the C compiler's path, or errNoCompiler.
func compiler() (string, error) {
	path, err := exec.LookPath("cc")
	if err != nil {
		return "", errNoCompiler
	}
	return path, nil
}

// compileC makes a program out of C source in dir, with libraries such as -lm.
func compileC(ctx context.Context, dir, name string, source []byte, libraries ...string) (program string, err error) {
	cc, err := compiler()
	if err != nil {
		return "", err
	}
	program = filepath.Join(dir, name)
	if err := os.WriteFile(program+".c", source, 0o600); err != nil {
		return "", err
	}
	args := append(append([]string{}, peerFlags...), "-o", program, program+".c")
	args = append(args, libraries...)
	if out, err := exec.CommandContext(ctx, cc, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile the C reference: %w\n%s", err, out)
	}
	return program, nil
}

// peer is the C reference: a child process that runs one operation per line.
type peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startPeer(ctx context.Context, dir string) (*peer, error) {
	program, err := compileC(ctx, dir, "peer", peerSource)
	if err != nil {
		return nil, err
	}
	return startProgram(ctx, program)
}

// startProgram starts one, with more in its environment.
func startProgram(ctx context.Context, program string, env ...string) (*peer, error) {
	p := &peer{cmd: exec.CommandContext(ctx, program)}
	p.cmd.Env = append(os.Environ(), env...)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	return p, p.cmd.Start()
}

// close ends the process, which its closed input tells to.
func (p *peer) close() {
	p.in.Close()
	_ = p.cmd.Wait()
}

// ask sends a command and waits for the answer.
func (p *peer) ask(format string, args ...any) (time.Duration, []float64, error) {
	command := fmt.Sprintf(format, args...)
	if _, err := io.WriteString(p.in, command+"\n"); err != nil {
		return 0, nil, fmt.Errorf("the C reference has ended: %w", err)
	}
	answer, err := p.out.ReadString('\n')
	if err != nil {
		return 0, nil, fmt.Errorf("the C reference has ended: %w", err)
	}
	words := strings.Fields(answer)
	if len(words) < 3 || words[0] != "ok" {
		return 0, nil, fmt.Errorf("the C reference says to %q: %s", command, strings.TrimSpace(answer))
	}
	var numbers []float64
	for _, w := range words[1:] {
		x, err := strconv.ParseFloat(w, 64)
		if err != nil {
			return 0, nil, fmt.Errorf("the C reference says to %q: %s", command, strings.TrimSpace(answer))
		}
		numbers = append(numbers, x)
	}
	return time.Duration(numbers[0] * 1e9), numbers[1:], nil
}

// region is a part of a file that a slot of the peer holds.
type region struct {
	path          string
	offset, bytes int64
}

// lies is where the reference has an operand.
type lies string

const (
	inFile       lies = "file"
	inHugePages  lies = "hold"
	inPlainPages lies = "plain" // as memory of Go's does
)

// file has a slot refer to a file, hold copies it into memory.
func (p *peer) file(slot int, r region) error { return p.slot(inFile, slot, r) }
func (p *peer) hold(slot int, r region) error { return p.slot(inHugePages, slot, r) }

func (p *peer) slot(how lies, slot int, r region) error {
	_, _, err := p.ask("%s %d %d %d %s", how, slot, r.offset, r.bytes, r.path)
	return err
}

func (p *peer) drop(slots ...int) error {
	for _, s := range slots {
		if _, _, err := p.ask("drop %d", s); err != nil {
			return err
		}
	}
	return nil
}

// save names the file that operations with the variant "save" write.
func (p *peer) save(path string) error {
	_, _, err := p.ask("save %s", path)
	return err
}

// form is one way of running an operation: `sum read:256`.
type form struct{ op, how string }

func (p *peer) run(f form, threads int, n int64) (time.Duration, []float64, error) {
	return p.ask("%s %s %d 0 1 %d", f.op, f.how, threads, n)
}

// forms are the ways of getting at a file that are worth a try.
func forms(op string) []form {
	var list []form
	for _, how := range []string{"read:256", "read:512", "populate:1024", "populate:16384", "advise:16384"} {
		list = append(list, form{op, how})
	}
	return list
}

// best is the fastest of several forms on this machine, for these arguments.
// Forms that cannot run here are passed over.
func (p *peer) best(list []form, threads int, n int64, before func() error) (best form, err error) {
	least := time.Duration(1 << 62)
	for range 3 {
		for _, f := range list {
			if before != nil {
				if err := before(); err != nil {
					return best, err
				}
			}
			d, _, e := p.run(f, threads, n)
			if e != nil {
				err = e
				continue
			}
			if d < least {
				best, least = f, d
			}
		}
	}
	if best.op == "" {
		return best, err
	}
	return best, nil
}

func (p *peer) runner(f form, threads int, n int64) Runner {
	return func(context.Context) (time.Duration, []float64, error) { return p.run(f, threads, n) }
}
