package codegen

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"
)

// BenchmarkFirst is a child from its start to the first object.
func BenchmarkFirst(b *testing.B) {
	job := sample(b, "exp.ll")
	compiling(b, Options{})
	var ready, first []time.Duration
	for b.Loop() {
		s := New(Options{Program: []string{"/usr/bin/env", role + "=child", os.Args[0]}})
		start := time.Now()
		if _, err := s.Info(context.Background()); err != nil {
			b.Fatal(err)
		}
		ready = append(ready, time.Since(start))
		start = time.Now()
		if _, err := s.Compile(context.Background(), job); err != nil {
			b.Fatal(err)
		}
		first = append(first, time.Since(start))
		s.Close()
	}
	b.ReportMetric(p50(ready), "p50-ready-ms")
	b.ReportMetric(p50(first), "p50-compile-ms")
}

// BenchmarkWarm is a request to a warm child, as its caller sees it.
func BenchmarkWarm(b *testing.B) {
	for _, name := range []string{"exp.ll", "sum.ll"} {
		b.Run(name, func(b *testing.B) {
			s := compiling(b, Options{})
			s.Warm()
			job := sample(b, name)
			var whole, inside []time.Duration
			for i := 0; b.Loop(); i++ {
				j := job
				j.Source = append(bytes.Clone(job.Source), fmt.Sprintf("; %d\n", i)...)
				start := time.Now()
				r, err := s.Compile(context.Background(), j)
				if err != nil {
					b.Fatal(err)
				}
				whole = append(whole, time.Since(start))
				inside = append(inside, time.Duration(r.Micros)*time.Microsecond)
			}
			b.ReportMetric(p50(whole), "p50-ms")
			b.ReportMetric(p50(inside), "p50-child-ms")
		})
	}
}

// BenchmarkCached looks an object up: again and again, and as the first thing that
// a new process does.
func BenchmarkCached(b *testing.B) {
	dir := b.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		b.Fatal(err)
	}
	s := compiling(b, Options{Dir: dir})
	job := sample(b, "exp.ll")
	compile(b, s, job)
	for name, of := range map[string]func() *Service{
		"again": func() *Service { return s },
		"first": func() *Service { return New(Options{Dir: dir}) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, ok := of().Cached(job); !ok {
					b.Fatal("not found")
				}
			}
		})
	}
}

// p50 is the median in milliseconds.
func p50(d []time.Duration) float64 {
	slices.Sort(d)
	return d[len(d)/2].Seconds() * 1e3
}
