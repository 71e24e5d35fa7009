package store

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godwit-run/godwit/internal/data/regular"
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/packages/pack"
)

// code keeps kernels and packages on the disk, by the hashes of their bytes, those
// used last. It is a
// cache: what cannot be read is not there.
type code struct {
	dir   string
	limit int64 // bytes

	mu    sync.Mutex
	bytes int64
	files map[kernel.ID]codeFile
}

type codeFile struct {
	bytes int64
	used  time.Time
}

const codeExt = ".gwk"

func (c *code) open(dir string, limit int64) error {
	c.dir, c.limit, c.files = dir, limit, map[kernel.ID]codeFile{}
	list, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		id, ok := codeID(e.Name())
		st, err := e.Info()
		if !ok || err != nil {
			_ = os.Remove(filepath.Join(dir, e.Name())) // the rest of an interrupted write
			continue
		}
		c.files[id] = codeFile{st.Size(), st.ModTime()}
		c.bytes += st.Size()
	}
	c.shrink()
	return nil
}

func codeID(name string) (id kernel.ID, ok bool) {
	text, isCode := strings.CutSuffix(name, codeExt)
	id, ok = hash(text)
	return id, ok && isCode
}

func hash(text string) (id kernel.ID, ok bool) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(id) {
		return id, false
	}
	return kernel.ID(b), true
}

func (c *code) path(id kernel.ID) string { return filepath.Join(c.dir, id.String()+codeExt) }

// Code gives a kernel's or a package's bytes, if they are kept.
func (s *Store) Code(id kernel.ID) ([]byte, bool) {
	c := &s.code
	c.mu.Lock()
	defer c.mu.Unlock()
	b, ok := c.read(id)
	if !ok {
		return nil, false
	}
	f := c.files[id]
	f.used = time.Now()
	c.files[id] = f
	_ = os.Chtimes(c.path(id), f.used, f.used) // for the next process
	return b, true
}

// Codes gives the kernels and packages that are kept, with their bytes, those used
// last first. To list them is not to use them.
func (s *Store) Codes() iter.Seq2[kernel.ID, []byte] {
	c := &s.code
	return func(yield func(kernel.ID, []byte) bool) {
		c.mu.Lock()
		ids := c.byUse()
		c.mu.Unlock()
		for _, id := range slices.Backward(ids) {
			c.mu.Lock()
			b, ok := c.read(id)
			c.mu.Unlock()
			if ok && !yield(id, b) {
				return
			}
		}
	}
}

// read gives a kernel's bytes, and forgets it if they are not its.
func (c *code) read(id kernel.ID) ([]byte, bool) {
	if _, ok := c.files[id]; !ok {
		return nil, false
	}
	b, err := regular.Read(c.path(id), pack.MaxBytes)
	if err != nil || kernel.Hash(b) != id {
		c.remove(id)
		return nil, false
	}
	return b, true
}

// KeepCode keeps a kernel's canonical bytes, or a package. What was not used for
// longest makes room for it.
func (s *Store) KeepCode(b []byte) error {
	c := &s.code
	if len(b) > pack.MaxBytes || int64(len(b)) > c.limit {
		return fmt.Errorf("code of %d bytes is not kept: at most %d were expected", len(b), min(pack.MaxBytes, c.limit))
	}
	id := kernel.Hash(b)
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.files[id]; ok {
		return nil
	}
	if err := s.spare(int64(len(b))); err != nil {
		return err
	}
	if err := s.rewrite(c.path(id), b); err != nil {
		return full(c.dir, err, int64(len(b)))
	}
	c.files[id] = codeFile{int64(len(b)), time.Now()}
	c.bytes += int64(len(b))
	c.shrink()
	return nil
}

// shrink removes what was not used for the longest time.
func (c *code) shrink() {
	if c.bytes <= c.limit {
		return
	}
	for _, id := range c.byUse() {
		if c.bytes <= c.limit {
			return
		}
		c.remove(id)
	}
}

// byUse lists the kernels, those used last at the end.
func (c *code) byUse() []kernel.ID {
	return slices.SortedFunc(maps.Keys(c.files), func(a, b kernel.ID) int {
		return cmp.Or(c.files[a].used.Compare(c.files[b].used), slices.Compare(a[:], b[:]))
	})
}

func (c *code) remove(id kernel.ID) {
	c.bytes -= c.files[id].bytes
	delete(c.files, id)
	_ = os.Remove(c.path(id))
}

// Compiled counts the objects of native code that are kept, and their bytes.
func (s *Store) Compiled() (objects int, bytes int64) {
	list, err := os.ReadDir(CompiledDir(s.dir))
	if err != nil {
		return 0, 0
	}
	for _, e := range list {
		if _, isObject := hash(e.Name()); !isObject {
			continue
		}
		if st, err := e.Info(); err == nil {
			objects, bytes = objects+1, bytes+st.Size()
		}
	}
	return objects, bytes
}

// CompiledDir is where native code is kept in a node's directory.
func CompiledDir(dir string) string { return filepath.Join(dir, "compiled") }
