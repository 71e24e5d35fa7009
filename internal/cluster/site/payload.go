package site

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/daemon"
	"github.com/godwit-run/godwit/internal/engine/codegen"
	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/packages/worker"
)

// Children are the command lines of the processes that do what could harm this one.
// Without them there is no native code.
type Children struct {
	Codegen []string // calls codegen.Serve
	Worker  []string // calls worker.Serve
	Control []string // calls control.ServeMember
	// Emulated says that they run under an emulator, and take many times as long.
	Emulated bool
}

// compiler is a service that keeps objects in dir, or nowhere.
func (ch Children) compiler(dir string, log *slog.Logger) *codegen.Service {
	opt := codegen.Options{Program: ch.Codegen, Dir: dir, Log: log}
	if ch.Emulated {
		opt.CPU, opt.Timeout = time.Minute, 5*time.Minute
	}
	return codegen.New(opt)
}

// payload makes a package's payload of a user's arguments, in a worker on this machine.
func (ch Children) payload(unconfined bool) func(context.Context, *pack.Package, []byte, []uint32) ([]byte, error) {
	if len(ch.Worker) == 0 {
		return nil
	}
	return func(ctx context.Context, p *pack.Package, args []byte, nodes []uint32) (b []byte, err error) {
		service := ch.compiler("", nil)
		pool := worker.New(worker.Options{Program: ch.Worker, Unconfined: unconfined})
		defer func() { err = errors.Join(err, pool.Close(), service.Close()) }()
		loader := daemon.Loader{Codegen: service}
		program, _, _, err := loader.Program(ctx, p)
		if err != nil {
			return nil, err
		}
		if _, err := pool.Load(ctx, program); err != nil {
			return nil, err
		}
		out, err := pool.Call(ctx, program.ID, &worker.Call{Payload: args, Init: true, Nodes: nodes})
		if err != nil {
			return nil, fmt.Errorf("the payload cannot be made of these arguments: %w", err)
		}
		return out.Reply, nil
	}
}
