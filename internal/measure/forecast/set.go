// Package forecast has the programs by which predictions are held to account, their arguments, and the figures
// that say how good the predictions were.
//
//	programs/*.gw ──Programs──► Program ──Arguments(size)──► call it, note what was said and what it took ──Runs.Figures──► Figures
package forecast

import (
	"embed"
	"fmt"
	"hash/fnv"
	"path"
	"strconv"
	"strings"
)

// Sizes is how many sizes a program is called with.
const Sizes = 6

//go:embed programs/*.gw
var files embed.FS

// Program is a function with its arguments. The first line of its file has its kind, the second its sizes, and those after
// them further sizes that follow from N, and arguments:
//
//	// streams
//	// N = 10 300 10_000 200_000 2_000_000 8_000_000
//	// M = N / 2
//	// x: f64 [N] uniform -1 1
//	// k: u32 20000
type Program struct {
	Name, Kind, Source string
	N                  [Sizes]int64 // ascending
	derived            []derived
	params             []param
}

// derived is a size that follows from N, or a number.
type derived struct {
	name string
	op   string // "*", "/", "+", or "" for a number
	by   int64
}

// param is an argument: of dims, or a scalar if there are none.
type param struct {
	name, kind string
	dims       []string
	how        []string // a generator and its operands; the value of a scalar
}

// Held reports that a program is in the half that nothing is tuned on. The rule is older than the programs' figures.
func (p *Program) Held() bool {
	h := fnv.New32a()
	_, _ = h.Write([]byte(p.Name))
	return h.Sum32()%2 == 1
}

// Ends reports that data decides when loops of the program end.
func (p *Program) Ends() bool { return p.Kind == "loops" }

// Programs are all of the set, by name.
func Programs() ([]*Program, error) {
	list, err := files.ReadDir("programs")
	if err != nil {
		return nil, err
	}
	var out []*Program
	for _, e := range list {
		text, err := files.ReadFile(path.Join("programs", e.Name()))
		if err != nil {
			return nil, err
		}
		p, err := parse(strings.TrimSuffix(e.Name(), ".gw"), string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		out = append(out, p)
	}
	return out, nil
}

func parse(name, text string) (*Program, error) {
	p := &Program{Name: name, Source: text}
	for i := 0; ; i++ {
		line, rest, _ := strings.Cut(text, "\n")
		head, ok := strings.CutPrefix(line, "// ")
		if !ok {
			break
		}
		text = rest
		switch {
		case i == 0:
			p.Kind = head
		case i == 1:
			if err := p.sizes(head); err != nil {
				return nil, err
			}
		default:
			if err := p.line(head); err != nil {
				return nil, err
			}
		}
	}
	if p.Kind == "" || p.N[0] == 0 {
		return nil, fmt.Errorf("a kind and %d sizes are expected", Sizes)
	}
	return p, nil
}

func (p *Program) sizes(line string) error {
	list, ok := strings.CutPrefix(line, "N = ")
	words := strings.Fields(list)
	if !ok || len(words) != Sizes {
		return fmt.Errorf("%q are not %d sizes N", line, Sizes)
	}
	for i, w := range words {
		n, err := number(w)
		if err != nil {
			return err
		}
		if p.N[i] = n; n < 1 || i > 0 && n <= p.N[i-1] {
			return fmt.Errorf("the sizes %s do not ascend", list)
		}
	}
	return nil
}

func number(word string) (int64, error) {
	return strconv.ParseInt(strings.ReplaceAll(word, "_", ""), 10, 64)
}

// line is a further size, or an argument.
func (p *Program) line(text string) error {
	if name, expr, ok := strings.Cut(text, " = "); ok {
		d := derived{name: name}
		words := strings.Fields(expr)
		switch {
		case len(words) == 3 && words[0] == "N" && strings.Contains("*/+", words[1]):
			d.op = words[1]
		case len(words) != 1:
			return fmt.Errorf("%q is no size", text)
		}
		var err error
		d.by, err = number(words[len(words)-1])
		p.derived = append(p.derived, d)
		return err
	}
	name, rest, ok := strings.Cut(text, ": ")
	kind, rest, ok2 := strings.Cut(rest, " ")
	if !ok || !ok2 {
		return fmt.Errorf("%q is no argument", text)
	}
	a := param{name: name, kind: kind, how: strings.Fields(rest)}
	if dims, ok := strings.CutPrefix(rest, "["); ok {
		dims, how, _ := strings.Cut(dims, "] ")
		a.dims, a.how = strings.Split(dims, ", "), strings.Fields(how)
	}
	p.params = append(p.params, a)
	return nil
}
