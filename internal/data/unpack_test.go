package data

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/godwit-run/godwit/internal/ir/num"
)

// packed compresses b as a file of this extension.
func packed(ext string, b []byte) []byte {
	var out bytes.Buffer
	if ext == ".gz" {
		z := gzip.NewWriter(&out)
		_, _ = z.Write(b)
		_ = z.Close()
		return out.Bytes()
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return z.EncodeAll(b, nil)
}

// What is compressed is found by its first bytes, whatever its name says, and read as its plain bytes are.
func TestCompressed(t *testing.T) {
	npy := writeFile(t, "x.npy", "")
	writeTo(t, npy, &Output{Rows: 3, Columns: []OutColumn{{Kind: num.I64, Values: bytesOf([]int64{1, 2, 3})}}})
	array, err := os.ReadFile(npy)
	if err != nil {
		t.Fatal(err)
	}
	for name, plain := range map[string]string{
		"x.csv": "x\n1\n2\n3\n", "x.csv.gz": "x\n1\n2\n3\n", "x.csv.zst": "x\n1\n2\n3\n", "x.gz": "x\n1\n2\n3\n", "x.tsv.zstd": "x\n1\n2\n3\n", "utf16.csv.gz": "\xff\xfex\x00\n\x001\x00\n\x002\x00\n\x003\x00\n\x00",
		"x.npy.gz": string(array), "x.npy": string(array), "x.zst": string(array), "x.jsonl.gz": "{\"x\":1}\n{\"x\":2}\n{\"x\":3}\n", "y.gz": "{\"x\":1}\n{\"x\":2}\n{\"x\":3}\n",
	} {
		for _, ext := range []string{".gz", ".zst"} {
			path := writeFile(t, name, string(packed(ext, []byte(plain))))
			src := mustOpen(t, path)
			if got, _ := readAll(t, src, Want{Kind: num.I64}); !bytes.Equal(got, bytesOf([]int64{1, 2, 3})) {
				t.Errorf("%s by %s: %v", name, ext, got)
			}
			if err := src.Unchanged(); err != nil {
				t.Error(err)
			}
			if err := src.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	two := append(packed(".gz", []byte("x\n1\n")), packed(".gz", []byte("2\n3\n"))...)
	if got := ints(t, mustOpen(t, writeFile(t, "two.csv.gz", string(two))), "x"); fmt.Sprint(got) != "[1 2 3]" {
		t.Error(got)
	}
}

// A stream that is cut anywhere is an error that says where, and so is one with other bytes; no file stays behind.
func TestDamagedStreams(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	plain := []byte("x\n" + strings.Repeat("123456\n7\n", 40_000))
	for _, ext := range []string{".gz", ".zst"} {
		whole := packed(ext, plain)
		for cut := 5; cut < len(whole); cut += 1 + len(whole)/50 {
			_, err := Open(writeFile(t, "x.csv"+ext, string(whole[:cut])))
			var e *Error
			if !errors.As(err, &e) || !strings.Contains(e.Msg, "cut short") && !strings.Contains(e.Msg, "damaged") || e.Help == "" {
				t.Errorf("%s cut to %d: %v", ext, cut, err)
			}
			spoilt := bytes.Clone(whole)
			spoilt[cut] ^= 0x55
			src, err := Open(writeFile(t, "x.csv"+ext, string(spoilt)))
			if err == nil { // as where a header has a time
				if src.Rows() != 80_000 {
					t.Errorf("%s with another byte %d has %d rows", ext, cut, src.Rows())
				}
				src.Close()
			} else if !errors.As(err, &e) {
				t.Errorf("%s with another byte %d: %v", ext, cut, err)
			}
		}
	}
	left, err := filepath.Glob(filepath.Join(tmp, "godwit-*"))
	if err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// A stream that grows without measure ends early, before it fills a disk.
func TestBomb(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: it writes some hundred megabytes")
	}
	b := packed(".zst", make([]byte, 1<<28))
	_, err := Open(writeFile(t, "x.csv.zst", string(b)))
	var e *Error
	if !errors.As(err, &e) || !strings.Contains(e.Msg, "grows without measure") || !strings.Contains(e.Help, "zstd -d") {
		t.Error(err, len(b))
	}
}

// A compressed file in a list is unpacked again after a rest; if it was changed meanwhile, that is an error.
func TestRestCompressed(t *testing.T) {
	path := writeFile(t, "x.csv.gz", string(packed(".gz", []byte("x\n1\n2\n"))))
	src := mustOpen(t, path)
	r := src.(resting)
	for range 2 {
		if err := r.rest(); err != nil {
			t.Fatal(err)
		}
		if err := r.wake(); err != nil {
			t.Fatal(err)
		}
		if got := ints(t, src, "x"); fmt.Sprint(got) != "[1 2]" {
			t.Error(got)
		}
	}
	if err := r.rest(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, packed(".gz", []byte("x\n3\n4\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	var changed *ChangedError
	if err := r.wake(); !errors.As(err, &changed) {
		t.Error(err)
	}
}

func writeBytes(t fataler, path string, b []byte) {
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Zeros behind the last member of a gzip file are padding; what else is there is said to be, with the byte at which it begins. A member
// that has begun is one that was cut short.
func TestBehindGzip(t *testing.T) {
	member := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	one := member("a\n1\n")
	for _, c := range []struct {
		name, text, want string // the error
	}{
		{"a member", one, ""},
		{"zeros", one + "\x00", ""},
		{"many zeros", one + strings.Repeat("\x00", 1<<18), ""},
		{"members and zeros", one + member("") + member("2\n") + strings.Repeat("\x00", 512), ""},
		{"text", one + "hello", fmt.Sprintf(": expected the end of the file behind that of the gzip stream, found something else at byte %d of %d", len(one), len(one)+5)},
		{"text behind zeros", one + "\x00\x00x", fmt.Sprintf(": expected the end of the file behind that of the gzip stream, found something else at byte %d of %d", len(one)+2, len(one)+3)},
		{"half a mark", one + "\x1f", fmt.Sprintf(": expected the end of the file behind that of the gzip stream, found something else at byte %d of %d", len(one), len(one)+1)},
		{"half a member", one + one[:10], fmt.Sprintf(": the gzip stream is cut short: it has %d bytes, and ends after 4 unpacked ones", len(one)+10)},
		{"a mark", one + one[:2], fmt.Sprintf(": the gzip stream is cut short: it has %d bytes, and ends after 4 unpacked ones", len(one)+2)},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := writeFile(t, "x.csv.gz", c.text)
			src, err := Open(path)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if rows := int64(1 + strings.Count(c.name, "members")); src.Rows() != rows {
					t.Errorf("%d rows, expected %d", src.Rows(), rows)
				}
				src.Close()
				return
			}
			wantError(t, path, err, c.want)
		})
	}
}
