package cc

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/pattern"
)

// Assembly in C is refused: nobody who reads the source sees what it does, it belongs to
// one processor, and the instructions that it is needed for are those that a worker may
// not use. It is looked for in what clang makes of the text, LLVM's language, where no
// macro, header or spelling hides it. That keeps those who build packages honest; what
// comes to a node from elsewhere may hold any machine code, and the worker's sandbox
// holds it. Sections of the source's own, and names that do not print, are refused for the
// same reason: see names.go.

// refuseAssembly is an error that names the places of assembly in a source.
func (j *job) refuseAssembly(ctx context.Context, path string) error {
	text, err := j.front(ctx, path, inLLVM...)
	if err != nil {
		return err
	}
	m, places, err := assemblyOf(text)
	if err != nil {
		return err
	}
	if len(m.outside) > 0 {
		places = append(places, j.outside(ctx, path, m, places)...)
	}
	return refusing(places)
}

// refuseAssemblyIn is refuseAssembly for what nodes compile: the text that went through the
// preprocessor, with their flags and not the sender's, with which it may mean something else.
func (j *job) refuseAssemblyIn(ctx context.Context, path string, source []byte) error {
	text, err := j.clangRun(ctx, path, source, append(sourceFlags(j.target), inLLVM...))
	if err != nil {
		return err
	}
	m, places, err := assemblyOf(text)
	if err != nil {
		return err
	}
	for _, line := range m.outside {
		places = append(places, fmt.Sprintf("%s: assembly outside of functions is refused: %s", path, line))
	}
	return refusing(places)
}

// assemblyOf gives the places of assembly inside of functions.
func assemblyOf(text []byte) (m *module, places []string, err error) {
	if m, err = readModule(text); err != nil {
		return nil, nil, err
	}
	return m, m.assembly(), nil
}

// inLLVM has clang write what it makes of a text in LLVM's language.
var inLLVM = []string{"-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-g"}

// refusing is an error that names places; nil without any.
func refusing(places []string) error {
	if len(places) == 0 {
		return nil
	}
	return &Error{
		strings.Join(places[:min(len(places), 10)], "\n"),
		"write it in C: immintrin.h, arm_neon.h, stdatomic.h and clang's builtins have the processor's instructions; there is no option that allows assembly, sections of the source's own, or names that do not print",
	}
}

// outside gives the places of assembly that stands outside of functions, of which LLVM
// keeps no line. Clang names all assembly that it finds; what is known is left out.
func (j *job) outside(ctx context.Context, path string, m *module, known []string) (places []string) {
	_, err := j.front(ctx, path, "-fno-gnu-inline-asm", "-fsyntax-only", "-fno-caret-diagnostics", "-fno-show-column")
	for _, at := range gnuAssembly().FindAllStringSubmatch(fmt.Sprint(err), -1) {
		if !slices.ContainsFunc(known, func(p string) bool { return strings.HasPrefix(p, at[1]+":") }) {
			places = append(places, at[1]+": assembly outside of functions, or in one that is not used, is refused")
		}
	}
	if len(places) == 0 {
		return []string{fmt.Sprintf("%s: assembly outside of functions is refused: %s", path, m.outside[0])}
	}
	return places
}

var gnuAssembly = pattern.Of(`(?m)^(.*:[0-9]+): error: GNU-style inline assembly is disabled`)

// module is what matters of a module in LLVM's language.
type module struct {
	lines   []found
	outside []string            // texts of assembly outside of functions
	nodes   map[string]metadata // by number
	groups  map[string]string   // what is refused of groups of attributes, by number
}

// found is a line that may be refused.
type found struct{ what, debug, group string }

// metadata is a node that says where something is.
type metadata struct{ file, line, scope, name, of string }

var (
	quoted     = pattern.Of(`"[^"]*"`) // LLVM writes a quote in a text as \22
	assembly   = pattern.Of(`^\s+(?:%\S+ = )?(?:tail |musttail |notail )?(?:call|callbr|invoke)\s(?:.*\s)?asm\s`)
	registers  = pattern.Of(`^\s+(?:%\S+ = )?(?:tail |musttail |notail )?call\s.*@llvm\.(?:read_register|read_volatile_register|write_register)\b`)
	attributes = pattern.Of(`^attributes #([0-9]+) = \{(.*)\}`)
	debugNode  = pattern.Of(`!dbg !([0-9]+)`)
	groupOf    = pattern.Of(`\s#([0-9]+)\b`)
	nodeLine   = pattern.Of(`^!([0-9]+) = (?:distinct )?!DI[A-Za-z]+\((.*)\)$`)
	nodeField  = pattern.Of(`\b(file|line|scope|filename|var): (?:!?([0-9]+)|"([^"]*)")`)
)

// readModule reads LLVM's language line by line, as clang writes it.
func readModule(text []byte) (*module, error) {
	m := &module{nodes: map[string]metadata{}, groups: map[string]string{}}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	function := ""
	for lines.Scan() {
		whole := lines.Text()
		line := quoted().ReplaceAllString(whole, `""`)
		switch {
		case strings.HasPrefix(line, "module asm "):
			m.outside = append(m.outside, strings.TrimPrefix(whole, "module asm "))
		case strings.HasPrefix(line, "define "):
			function = first(debugNode(), line)
			m.names(whole, line)
		case strings.HasPrefix(line, "@"), strings.HasPrefix(line, "$"), strings.HasPrefix(line, "declare "):
			m.names(whole, line)
		case assembly().MatchString(line):
			m.lines = append(m.lines, found{"inline assembly", cmp.Or(first(debugNode(), line), function), ""})
		case registers().MatchString(line):
			m.lines = append(m.lines, found{"a variable in a named register", cmp.Or(first(debugNode(), line), function), ""})
		case strings.HasPrefix(line, "attributes "):
			m.group(whole, line)
		case strings.HasPrefix(line, "!"):
			m.node(whole)
		}
	}
	return m, lines.Err()
}

func (m *module) node(line string) {
	n := nodeLine().FindStringSubmatch(line)
	if n == nil {
		return
	}
	var d metadata
	for _, f := range nodeField().FindAllStringSubmatch(n[2], -1) {
		switch f[1] {
		case "file":
			d.file = f[2]
		case "line":
			d.line = f[2]
		case "scope":
			d.scope = f[2]
		case "filename":
			d.name = f[3]
		case "var":
			d.of = f[2]
		}
	}
	m.nodes[n[1]] = d
}

// assembly gives the places of what is refused, each once.
func (m *module) assembly() (places []string) {
	for _, f := range m.lines {
		if f.what == "" {
			if f.what = m.groups[f.group]; f.what == "" {
				continue
			}
		}
		if p := fmt.Sprintf("%s: %s is refused", m.place(f.debug), f.what); !slices.Contains(places, p) {
			places = append(places, p)
		}
	}
	return places
}

// place is FILE:LINE of a node.
func (m *module) place(id string) string {
	n := m.nodes[id]
	if n.of != "" {
		n = m.nodes[n.of]
	}
	file := n.file
	for at, steps := n.scope, 0; file == "" && at != "" && steps < 1000; steps++ {
		file, at = m.nodes[at].file, m.nodes[at].scope
	}
	return fmt.Sprintf("%s:%s", cmp.Or(m.nodes[file].name, "the source"), cmp.Or(n.line, "?"))
}

func first(r *regexp.Regexp, text string) string {
	if m := r.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}
