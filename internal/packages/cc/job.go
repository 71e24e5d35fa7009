package cc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/packages/pack"
	"github.com/godwit-run/godwit/internal/pattern"
)

// job compiles the sources for one target.
type job struct {
	clang    string
	dir      string // holds godwit.h, and takes files for llvm-link
	target   Target
	opt      *Options
	warnings strings.Builder
}

// section gives what the package holds for the target, and compiles it as far as
// an object to see that it can run there.
func (j *job) section(ctx context.Context) ([]byte, error) {
	for _, path := range j.opt.Sources {
		if err := j.refuseAssembly(ctx, path); err != nil {
			return nil, err
		}
	}
	if j.opt.Form == pack.Source {
		text, err := j.front(ctx, j.opt.Sources[0], "-E", "-P")
		if err != nil {
			return nil, err
		}
		if err := j.refuseAssemblyIn(ctx, j.opt.Sources[0], text); err != nil {
			return nil, err
		}
		object, err := j.clangRun(ctx, j.opt.Sources[0], text, sourceFlags(j.target))
		if err != nil {
			return nil, err
		}
		return text, j.check(object)
	}
	bitcode, err := j.bitcode(ctx)
	if err != nil {
		return nil, err
	}
	if j.opt.Form == pack.Optimised {
		if bitcode, err = j.back(ctx, bitcode, "-emit-llvm"); err != nil {
			return nil, err
		}
	}
	object, err := j.back(ctx, bitcode)
	if err != nil {
		return nil, err
	}
	if err := j.check(object); err != nil {
		return nil, err
	}
	if j.opt.Form == pack.Object {
		return object, nil
	}
	return bitcode, nil
}

// bitcode is that of all sources, linked, as the front end makes it.
func (j *job) bitcode(ctx context.Context) ([]byte, error) {
	var files []string
	var last []byte
	for i, path := range j.opt.Sources {
		b, err := j.front(ctx, path, "-c", "-emit-llvm", "-Xclang", "-disable-llvm-passes")
		if err != nil {
			return nil, err
		}
		file := filepath.Join(j.dir, fmt.Sprintf("%s.%d.bc", j.target, i))
		if err := os.WriteFile(file, b, 0o666); err != nil {
			return nil, err
		}
		files, last = append(files, file), b
	}
	if len(files) == 1 {
		return last, nil
	}
	where, _, err := run(ctx, nil, j.clang, "-print-prog-name=llvm-link")
	if err != nil {
		return nil, err
	}
	link := strings.TrimSpace(string(where))
	if !filepath.IsAbs(link) {
		return nil, &Error{"several C files are linked by llvm-link, which is not installed", "apt-get install llvm-19"}
	}
	linked, _, err := run(ctx, nil, link, append(files, "-o", "-")...)
	if err != nil {
		return nil, j.failed(strings.Join(j.opt.Sources, " "), err)
	}
	return linked, nil
}

// maxSource is more than any source file has, in bytes.
const maxSource = 256 << 20

// front runs the front end on a source. The text comes through standard input with
// its name in a line of its own, because bitcode holds the path of an input file,
// and the same source shall give the same package in every directory.
func (j *job) front(ctx context.Context, path string, what ...string) ([]byte, error) {
	text, _, err := regular.ReadGiven(path, maxSource)
	if err != nil {
		return nil, err
	}
	headers, _ := j.target.headers()
	dir := filepath.Dir(path)
	args := slices.Concat(j.target.flags(), headers, []string{"-iquote", dir, "-I", j.dir}, j.opt.Flags, what, []string{"-x", "c", "-o", "-", "-"})
	in := append(fmt.Appendf(nil, "#line 1 %q\n", filepath.Base(path)), text...)
	return j.clangRun(ctx, path, in, args)
}

// back runs passes or selects instructions, for bitcode.
func (j *job) back(ctx context.Context, bitcode []byte, what ...string) ([]byte, error) {
	args := slices.Concat(j.target.flags(), j.opt.Flags, []string{"-Qunused-arguments", "-c"}, what, []string{"-x", "ir", "-o", "-", "-"})
	return j.clangRun(ctx, strings.Join(j.opt.Sources, " "), bitcode, args)
}

func (j *job) clangRun(ctx context.Context, path string, in []byte, args []string) ([]byte, error) {
	out, said, err := run(ctx, in, j.clang, args...)
	if unknown := unknownFeature().FindStringSubmatch(said); unknown != nil {
		return nil, &Error{fmt.Sprintf("%s has no feature %s", j.target.arch().name, unknown[1]), "features have LLVM's names, and are those of one architecture: --targets x86_64+avx2,aarch64+sve"}
	}
	if err != nil {
		return nil, j.failed(path, err)
	}
	if !strings.Contains(j.warnings.String(), said) {
		j.warnings.WriteString(said)
	}
	return out, nil
}

var (
	unknownFeature = pattern.Of(`'\+([^']*)' is not a recognized feature for this target`)
	missingHeader  = pattern.Of(`fatal error: '([^']*)' file not found`)
)

// failed says what a tool refused, and what to install where a header is missing.
func (j *job) failed(path string, err error) error {
	var r *refusal
	if !errors.As(err, &r) {
		return err
	}
	e := &Error{Text: fmt.Sprintf("%s cannot be compiled for %s:\n%s", path, j.target, r.text)}
	if header := missingHeader().FindStringSubmatch(r.text); header != nil {
		if _, libc := j.target.headers(); libc {
			e.Help = fmt.Sprintf("name the directory of %s: godwit cc … -- -I DIR", header[1])
		} else {
			e.Help = fmt.Sprintf("the C library's headers for %s are not installed: apt-get install %s; or do without %s: stdint.h, stddef.h, stdatomic.h and the like are clang's own", j.target.arch().name, j.target.libc(), header[1])
		}
	}
	return e
}
