package cc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// limit is how long one run of a tool may take.
const limit = 2 * time.Minute

// ErrMissing is wrapped by the error of a node that shall compile C and has no clang.
var ErrMissing = errors.New("clang is not installed")

// find gives the path of clang: what CLANG names, or clang-19.
func find() (string, error) {
	name, from := os.Getenv("CLANG"), "CLANG"
	if name == "" {
		name, from = "clang-19", "PATH"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%w: %s, by %s, is not there\n  help: apt-get install clang-19, or have CLANG name a clang", ErrMissing, name, from)
	}
	return path, nil
}

// Found says whether there is a clang, so that sections of the form source can run.
func Found() bool {
	_, err := find()
	return err == nil
}

// A refusal is what a tool wrote before it failed.
type refusal struct{ text string }

func (e *refusal) Error() string { return e.text }

// run runs a tool: in goes to its standard input, its standard output comes back, and
// what it says on standard error, or a *refusal with that if it fails.
func run(ctx context.Context, in []byte, name string, args ...string) (out []byte, said string, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &stdout, &stderr
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	said = stderr.String()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, said, fmt.Errorf("%s was stopped: %w", name, ctx.Err())
	case errors.As(err, &exit):
		if said == "" {
			said = exit.Error()
		}
		return nil, said, &refusal{strings.TrimRight(said, "\n")}
	case err != nil:
		return nil, said, err
	case stdout.Len() == 0:
		return nil, said, &refusal{fmt.Sprintf("%s wrote nothing", name)}
	}
	return stdout.Bytes(), said, nil
}
