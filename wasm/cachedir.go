package wasm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tetratelabs/wazero"
)

// cacheDir is a directory in which wazero keeps machine code for the next
// process; its files are named by the hash of the module and the processor's
// features. What lies there is run as it is, so nobody else may write to it.
type cacheDir struct {
	dir   string
	cache wazero.CompilationCache
}

func openCacheDir(dir string) (*cacheDir, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	st, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if m := st.Mode().Perm(); m&0o022 != 0 {
		return nil, fmt.Errorf("compiler cache %s has mode %#o, but others must not write to it: chmod 700 it", dir, m)
	}
	c, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil, err
	}
	return &cacheDir{dir, c}, nil
}

// compile is CompileModule. A file that was damaged, or a full disk, must not
// keep a kernel from running: then the directory is emptied, once.
func (d *cacheDir) compile(ctx context.Context, rt wazero.Runtime, bin []byte) (wazero.CompiledModule, error) {
	m, err := rt.CompileModule(ctx, bin)
	if d == nil || err == nil || !ofCache(err) {
		return m, err
	}
	if err := d.empty(); err != nil {
		return nil, err
	}
	return rt.CompileModule(ctx, bin)
}

// ofCache tells errors of the cache from those of the module.
func ofCache(err error) bool {
	var file *fs.PathError
	return errors.As(err, &file) || strings.Contains(err.Error(), "compilationcache:")
}

func (d *cacheDir) empty() error {
	files, err := filepath.Glob(filepath.Join(d.dir, "wazero-*", "*"))
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (d *cacheDir) close(ctx context.Context) error {
	if d == nil {
		return nil
	}
	return d.cache.Close(ctx)
}
