package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
)

//go:embed peer/*.c peer/*.h
var peerSources embed.FS

// compilers are those that are tried, with what each needs besides peerFlags to
// make vectors of expf.
var compilers = []struct {
	name, debian string
	flags        []string
}{
	{"gcc", "gcc", nil},
	{"clang-19", "clang-19", []string{"-fveclib=libmvec"}},
}

// peerFlags allow any order of floating-point operations. They are not given to
// the linker: -ffast-math there makes the library change how this process rounds
// denormal numbers.
var peerFlags = []string{"-O3", "-march=native", "-ffast-math", "-fPIC", "-pthread"}

// peer is the C reference, as each compiler makes it.
type peer struct {
	forms []form
	about string // for people
	run   []func(i, threads int32, x, y, out unsafe.Pointer, n int64) int32
}

// form is one way of computing an operation.
type form struct {
	op, name string
	library  int // which compiler's
	index    int32
}

func (f form) String() string { return strings.TrimSpace(compilers[f.library].name + " " + f.name) }

// loadPeer compiles and loads the reference. Compilers that are not there are
// told in notes; without any the peer has no forms.
func loadPeer(ctx context.Context, dir string) (p *peer, notes []string, err error) {
	p = &peer{run: make([]func(int32, int32, unsafe.Pointer, unsafe.Pointer, unsafe.Pointer, int64) int32, len(compilers))}
	files, err := writePeer(dir)
	if err != nil {
		return nil, nil, err
	}
	var versions []string
	for i, c := range compilers {
		if _, err := exec.LookPath(c.name); err != nil {
			notes = append(notes, fmt.Sprintf("SKIPPED: %s is not installed (Debian: %s), so it makes no reference.", c.name, c.debian))
			continue
		}
		library := filepath.Join(dir, c.name+".so")
		if err := build(ctx, c.name, c.flags, files, library); err != nil {
			return nil, nil, err
		}
		if err := p.load(i, library); err != nil {
			return nil, nil, err
		}
		versions = append(versions, version(ctx, c.name))
	}
	if len(versions) > 0 {
		p.about = strings.Join(versions, " and ") + ", " + strings.Join(peerFlags[:3], " ")
	}
	return p, notes, nil
}

// writePeer puts the sources into dir and lists those to compile.
func writePeer(dir string) (files []string, err error) {
	list, err := peerSources.ReadDir("peer")
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		b, err := peerSources.ReadFile("peer/" + f.Name())
		if err != nil {
			return nil, err
		}
		path := filepath.Join(dir, f.Name())
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return nil, err
		}
		if strings.HasSuffix(path, ".c") {
			files = append(files, path)
		}
	}
	return files, nil
}

func build(ctx context.Context, compiler string, more, files []string, library string) error {
	var objects []string
	for _, f := range files {
		o := library + "." + filepath.Base(f) + ".o"
		args := append([]string{}, peerFlags...)
		if runtime.GOARCH == "amd64" {
			args = append(args, more...)
		}
		if err := command(ctx, compiler, append(args, "-c", f, "-o", o)...); err != nil {
			return err
		}
		objects = append(objects, o)
	}
	libs := []string{"-lm", "-pthread"}
	if runtime.GOARCH == "amd64" {
		libs = append(libs, "-lmvec")
	}
	return command(ctx, compiler, append(append([]string{"-shared", "-o", library}, objects...), libs...)...)
}

func command(ctx context.Context, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("compile the C reference with %s: %w\n%s", name, err, out)
	}
	return nil
}

// version is the first line of what a compiler says of itself.
func version(ctx context.Context, compiler string) string {
	out, err := exec.CommandContext(ctx, compiler, "--version").Output()
	line, _, _ := bytes.Cut(out, []byte("\n"))
	if err != nil {
		return compiler
	}
	return string(line)
}

func (p *peer) load(i int, library string) error {
	h, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return fmt.Errorf("load the C reference: %w", err)
	}
	var op, name func(int32) string
	purego.RegisterLibFunc(&op, h, "peer_op")
	purego.RegisterLibFunc(&name, h, "peer_form")
	purego.RegisterLibFunc(&p.run[i], h, "peer_run")
	for k := int32(0); op(k) != ""; k++ {
		p.forms = append(p.forms, form{op(k), name(k), i, k})
	}
	return nil
}

// work is what the reference computes on.
type work struct {
	x, y, out []byte
	n         int64
}

// time runs a form once.
func (p *peer) time(f form, threads int, w work) (time.Duration, error) {
	start := time.Now()
	failed := p.run[f.library](f.index, int32(threads), unsafe.Pointer(unsafe.SliceData(w.x)), unsafe.Pointer(unsafe.SliceData(w.y)), unsafe.Pointer(unsafe.SliceData(w.out)), w.n)
	d := time.Since(start)
	if failed != 0 {
		return 0, fmt.Errorf("the C reference, %s of %s: error %d", f, f.op, failed)
	}
	return d, nil
}

// of lists the forms of an operation.
func (p *peer) of(op string) (list []form) {
	for _, f := range p.forms {
		if f.op == op {
			list = append(list, f)
		}
	}
	return list
}
