package compile

import (
	"github.com/godwit-run/godwit/internal/front/diag"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/front/syntax"
)

// Names lists the functions that can be run from outside, public ones first.
func (p *Program) Names() []string {
	var public, private []string
	for _, f := range p.checked.Funcs() {
		switch {
		case !f.Runnable:
		case f.Pub:
			public = append(public, f.Name)
		default:
			private = append(private, f.Name)
		}
	}
	return append(public, private...)
}

// Choose finds the function that a name means. Without a name it is the only
// public function, or else the only function.
func (p *Program) Choose(name string) (string, error) {
	names := p.Names()
	if name == "" {
		return p.only(names)
	}
	if slices.Contains(names, name) {
		return name, nil
	}
	if p.decl(name) != nil {
		return "", refuse("", "call it from a function whose types are fixed", "`%s` has generic types, and cannot be run by itself", name)
	}
	var ends []string
	for _, n := range names {
		if strings.HasSuffix(n, "::"+name) {
			ends = append(ends, n)
		}
	}
	if len(ends) == 1 {
		return ends[0], nil
	}
	e := refuse("", "", "there is no function `%s` in %s; the functions are %s", name, p.paths(), quoted(names))
	if near := diag.Nearest(name, names); near != "" {
		e.Help = "did you mean `" + near + "`?"
	}
	return "", e
}

func (p *Program) only(names []string) (string, error) {
	if len(names) == 1 {
		return names[0], nil
	}
	if len(names) == 0 {
		return "", refuse("", "write one: fn total(v: &[f32; N]) -> f32 { v.sum() }", "there is no function in %s", p.paths())
	}
	// A function of a module is public to the program, not its entry.
	var public []string
	for _, f := range p.checked.Funcs() {
		if f.Pub && f.Runnable && !strings.Contains(f.Name, "::") {
			public = append(public, f.Name)
		}
	}
	if len(public) == 1 {
		return public[0], nil
	}
	return "", refuse("", "name one: "+p.paths()+":"+p.entry(names), "%s has several functions: %s", p.paths(), quoted(names))
}

// entry is the function of several that is likely meant: the first one that no other calls.
func (p *Program) entry(names []string) string {
	called := map[string]bool{}
	for _, f := range p.checked.Funcs() {
		for _, c := range f.Calls {
			called[c] = true
		}
	}
	for _, name := range names {
		if !called[name] {
			return name
		}
	}
	return names[0]
}

func (p *Program) paths() string {
	parts := make([]string, len(p.Sources))
	for i, s := range p.Sources {
		parts[i] = s.Path
	}
	return strings.Join(parts, " ")
}

// decl is the declaration of a function.
func (p *Program) decl(name string) *syntax.Func {
	for _, f := range p.Files {
		if d := find(f.Items, strings.Split(name, "::")); d != nil {
			return d
		}
	}
	return nil
}

// find follows a path through modules.
func find(items []syntax.Item, path []string) *syntax.Func {
	for _, it := range items {
		switch it := it.(type) {
		case *syntax.Func:
			if len(path) == 1 && it.Name.Text == path[0] {
				return it
			}
		case *syntax.Mod:
			if len(path) > 1 && it.Name.Text == path[0] {
				return find(it.Items, path[1:])
			}
		}
	}
	return nil
}
