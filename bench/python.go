package main

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
	"slices"
	"strings"
	"time"
)

var (
	errNoNumPy  = errors.New("SKIPPED: NumPy is not installed and cannot be (Debian: python3-venv; or python3-numpy, libopenblas0-pthread), so there is no reference")
	errNoPolars = errors.New("SKIPPED: Polars is not installed and cannot be (Debian: python3-venv), so there is no reference of it")
)

// missing is the error for a module that is not there.
var missing = map[string]error{"numpy": errNoNumPy, "polars": errNoPolars}

//go:embed peer/answers.py
var answersScript []byte

// answering is a script that answers each line of its input.
func answering(script []byte) []byte { return slices.Concat(script, answersScript) }

// python is a process with a module, such as NumPy, that answers each line with one.
type python struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Reader
	name  string // with versions: its first line
}

// slowing are variables by which OpenBLAS takes the kernels of another processor, or other blocks, than are best for this one.
var slowing = []string{"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}

// numPyEnv is this process's environment for a NumPy on so many threads. Unless it is as given, what slows OpenBLAS is left out.
func numPyEnv(threads int, given bool) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return !given && slices.Contains(slowing, name)
	})
	for _, library := range []string{"OPENBLAS", "OMP", "MKL"} {
		env = append(env, fmt.Sprintf("%s_NUM_THREADS=%d", library, threads))
	}
	return env
}

// startPython runs a script that needs a module, which is written into dir, in an environment.
func startPython(ctx context.Context, module string, env []string, dir, script string, text []byte, args ...string) (*python, error) {
	program, err := pythonWith(ctx, module)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, script)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return nil, err
	}
	p := &python{cmd: exec.CommandContext(ctx, program, append([]string{path}, args...)...)}
	p.cmd.Env = env
	p.cmd.Stderr = os.Stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.lines = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if p.name, err = p.line(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// pythonWith is the one of the environment that this makes, with the newest module that the package
// index gives for this Python, or else the machine's.
func pythonWith(ctx context.Context, module string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	pythons := []string{"python3", "/usr/bin/python3"}
	if cache, err := os.UserCacheDir(); err == nil {
		dir := filepath.Join(cache, "godwit", module)
		own := filepath.Join(dir, "bin", "python")
		if !has(ctx, own, module) && exec.CommandContext(ctx, "python3", "-m", "venv", dir).Run() == nil {
			_ = exec.CommandContext(ctx, own, "-m", "pip", "install", "--quiet", "--upgrade", module).Run() // the machine's may do
		}
		pythons = append([]string{own}, pythons...)
	}
	for _, p := range pythons {
		if has(ctx, p, module) {
			return p, nil
		}
	}
	return "", missing[module]
}

func has(ctx context.Context, python, module string) bool {
	return exec.CommandContext(ctx, python, "-c", "import "+module).Run() == nil
}

func (p *python) line() (string, error) {
	s, err := p.lines.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the reference has ended: %w", err)
	}
	return strings.TrimSpace(s), nil
}

func (p *python) ask(what string) (string, error) {
	if _, err := io.WriteString(p.in, what+"\n"); err != nil {
		return "", fmt.Errorf("the reference has ended: %w", err)
	}
	return p.line()
}

// close ends the process, which its closed input tells to.
func (p *python) close() {
	p.in.Close()
	_ = p.cmd.Wait()
}
