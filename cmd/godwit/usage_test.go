package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A wrong command line is told in words of this project, and has an exit code of its own.
func TestWrongCommandLines(t *testing.T) {
	for line, want := range map[string]string{
		"rnu":                              "there is no command `rnu`; did you mean `run`?",
		"help foo":                         "there is no command `foo`",
		"completion foo":                   "there is no command `foo`",
		"completion bash foo":              "`foo` is more than the command takes",
		"remove --help":                    "there is no command `remove`; did you mean `drop`?",
		"rm flights -h":                    "there is no command `rm`; did you mean `drop`?",
		"--help remove":                    "there is no command `remove`; did you mean `drop`?",
		"delete flights":                   "there is no command `delete`; did you mean `drop`?",
		"completion foo --help":            "there is no command `foo`",
		"trust foo":                        "there is no command `foo`",
		"status foo":                       "`foo` is more than the command takes",
		"run":                              "the program is missing",
		"run s.gw v":                       "`v` is no argument",
		"run --thread 3 s.gw":              "did you mean `--threads`?",
		"run --threads x s.gw":             "--threads is \"x\": expected a whole number",
		"run --threads -1 s.gw":            "--threads is -1",
		"run --threads":                    "--threads needs a value: a whole number",
		"run --engine foo s.gw":            "--engine is `foo`: expected auto, native, wasm or interp",
		"run --strategy shp s.gw":          "did you mean `ship`?",
		"run --deadline 5 s.gw":            "expected a time, such as 500ms",
		"run -q s.gw":                      "there is no flag `-q`",
		"explain s.gw v":                   "`v` is no argument",
		"up -n 0":                          "-n is 0",
		"bench foo":                        "there is no benchmark `foo`",
		"load a.csv":                       "--as is missing",
		"load a.csv b.csv --as x":          "`b.csv` is more than the command takes",
		"fmt -d -w s.gw":                   "exclude each other",
		"generate x.npy":                   "the shape is missing",
		"generate x.npy 3y":                "the shape `3y` is not one",
		"generate cycl x.npy 3":            "there is no generator `cycl`",
		"generate x.csv 3":                 "is not the name of a file",
		"generate cycle x.parquet 3":       "is not the name of a file",
		"generate flights x.csv 3":         "is not the name of a file",
		"generate flights x.parquet 3x3":   "decides the types",
		"generate cycle x.npy 3 --kind i8": "decides the types",
		"generate x.npy 3 --kind word":     "--kind is `word`",
	} {
		var out, errs bytes.Buffer
		if code := execute(t.Context(), strings.Fields(line), &out, &errs); code != exitUsage || !strings.Contains(errs.String(), want) || out.Len() > 0 {
			t.Errorf("godwit %s: %d, %s%s", line, code, out.Bytes(), errs.Bytes())
		}
	}
}

// full is a disk without room.
type full struct{}

var errFull = errors.New("no room")

func (full) Write([]byte) (int, error) { return 0, errFull }

// Whatever a command prints, it fails if that cannot be printed, with one line.
func TestNothingIsLostQuietly(t *testing.T) {
	program := filepath.Join(t.TempDir(), "s.gw")
	if err := os.WriteFile(program, []byte("fn s(v: &[f64; N]) -> f64 { v.sum()  }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	lines := []string{"--version", "help", "help run", "completion bash",
		"fmt PROGRAM", "check PROGRAM", "check --json PROGRAM", "explain PROGRAM", "explain --json PROGRAM", "run --engine interp PROGRAM v=[1.0]", "run --engine interp --json PROGRAM v=[1.0]"}
	for _, c := range newRoot().Commands() {
		if !c.Hidden {
			lines = append(lines, c.Name()+" --help")
		}
	}
	for _, line := range lines {
		args := strings.Fields(strings.ReplaceAll(line, "PROGRAM", program))
		if code := execute(t.Context(), args, io.Discard, io.Discard); code != 0 {
			t.Fatalf("godwit %s: %d", line, code)
		}
		var errs bytes.Buffer
		if code := execute(t.Context(), args, full{}, &errs); code != exitFailed || errs.String() != "error: standard output: no room\n" {
			t.Errorf("godwit %s: %d, %s", line, code, errs.Bytes())
		}
	}
	if code := execute(t.Context(), []string{"fmt", "-d", program}, full{}, io.Discard); code != exitFailed {
		t.Error("fmt -d")
	}
}
