package codegen

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"os"
	"time"

	"github.com/godwit-run/godwit/internal/engine/llvm"
)

// In: that a child found no libLLVM, in this process or an earlier one, or that none could be started. Out: whether native code is to be expected. Forecasts go by it;
// what is to be compiled is tried nevertheless, so what is kept here can only make a forecast wrong.

// absence is kept among the objects. It holds while the place where the library would be is as it was.
type absence struct {
	Size  int64 // -1 if nothing is there
	Mtime time.Time
}

// linked is the dynamic linker's list of the libraries that are installed.
const linked = "/etc/ld.so.cache"

func absenceNow() absence {
	file, err := os.Stat(cmp.Or(os.Getenv(llvm.Env), linked))
	if err != nil {
		return absence{Size: -1}
	}
	return absence{file.Size(), file.ModTime()}
}

func absenceKey() (key, error) {
	k, err := recordKey()
	return sha256.Sum256(append([]byte("absent "), k[:]...)), err
}

// rememberAbsence keeps that a child found no library.
func (s *Service) rememberAbsence() {
	k, err := absenceKey()
	if err != nil {
		return
	}
	if b, err := json.Marshal(absenceNow()); err == nil {
		s.disk.put(k, b)
	}
}

// Absent reports that there is no libLLVM, or no child, as far as is known without one.
func (s *Service) Absent() bool {
	s.mu.Lock()
	info, missing, unstarted := s.info, s.missing, s.unstarted
	s.mu.Unlock()
	switch {
	case missing != nil, unstarted:
		return true
	case info != nil:
		return false
	}
	k, err := absenceKey()
	if err != nil {
		return false
	}
	b, ok := s.disk.get(k)
	if !ok {
		return false
	}
	var a absence
	now := absenceNow()
	return json.Unmarshal(b, &a) == nil && a.Size == now.Size && a.Mtime.Equal(now.Mtime)
}

// Look finds out whether there is a libLLVM, by a child where nobody knows.
func (s *Service) Look(ctx context.Context) {
	if _, known := s.recall(); known || s.Absent() {
		return
	}
	_, _ = s.Info(ctx) // which both are told of
}
