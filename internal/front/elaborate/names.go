package elaborate

import (
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/ir/graph"
)

// declKind tells declarations apart.
type declKind uint8

const (
	funcDecl declKind = iota
	recordDecl
	constDecl
	modDecl
)

var declWords = [...]string{funcDecl: "a function", recordDecl: "a record", constDecl: "a constant", modDecl: "a module"}

// decl is one named item.
type decl struct {
	kind declKind
	name string // qualified: geo::dist
	pub  bool
	mod  *module // where it is declared
	src  *diag.Source
	at   diag.Span // of the name

	fn    *syntax.Func
	rec   *syntax.Record
	con   *syntax.Const
	inner *module

	state  state
	failed bool         // an error has been reported; uses are silent
	typ    *graph.Type  // of a record or constant
	bits   uint64       // value of a constant
	sig    *signature   // of a function
	calls  []*decl      // functions it calls
	graph  *graph.Graph // from checking it, until it is taken
}

// state guards against declarations that need themselves.
type state uint8

const (
	fresh state = iota
	busy
	done
)

// module is a scope of items. Names are looked up outward through the
// enclosing modules.
type module struct {
	name  string // qualified; "" for the root
	outer *module
	items map[string]*decl
	uses  map[string]*use
	load  func(name string) *decl // of a module that has its items elsewhere, nil otherwise
}

// use is an imported name, resolved after all items are known.
type use struct {
	u      *syntax.Use
	src    *diag.Source
	target *decl
}

func newModule(name string, outer *module) *module {
	return &module{name: name, outer: outer, items: map[string]*decl{}, uses: map[string]*use{}}
}

// qualify gives the full name of an item of m.
func (m *module) qualify(name string) string {
	if m.name == "" {
		return name
	}
	return m.name + "::" + name
}

// contains reports that m is n or encloses it.
func (m *module) contains(n *module) bool {
	for ; n != nil; n = n.outer {
		if n == m {
			return true
		}
	}
	return false
}

// collect enters items into their module.
func (p *Program) collect(items []syntax.Item, m *module, src *diag.Source) {
	for _, item := range items {
		switch it := item.(type) {
		case *syntax.Func:
			p.declare(m, it.Name, &decl{kind: funcDecl, pub: it.Pub, src: src, fn: it})
		case *syntax.Record:
			p.declare(m, it.Name, &decl{kind: recordDecl, pub: it.Pub, src: src, rec: it})
		case *syntax.Const:
			p.declare(m, it.Name, &decl{kind: constDecl, pub: it.Pub, src: src, con: it})
		case *syntax.Mod:
			inner := newModule(m.qualify(it.Name.Text), m)
			p.declare(m, it.Name, &decl{kind: modDecl, pub: it.Pub, src: src, inner: inner})
			p.collect(it.Items, inner, src)
		case *syntax.Use:
			p.importName(m, it, src)
		}
	}
}

func (p *Program) declare(m *module, name syntax.Name, d *decl) {
	d.name, d.mod, d.at = m.qualify(name.Text), m, name.Span
	p.decls = append(p.decls, d)
	if name.Text == "" { // the parser has reported it
		return
	}
	if old := m.items[name.Text]; old != nil {
		p.twice(d.src, name, old.at, old.src)
		return
	}
	if what := reserved(name.Text, d.kind); what != "" {
		p.errorf(d.src, name.Span, "N11", "`%s` is already %s", name.Text, what).
			Note("a name of the language").Help("call it %s_", name.Text)
		return
	}
	m.items[name.Text] = d
}

func reserved(name string, k declKind) string {
	switch {
	case k == recordDecl && isTypeName(name):
		return "a type"
	case k == funcDecl && (name == "concat" || name == "Reverse" || name == "Some" || name == "None"):
		return "a function of the language"
	}
	return ""
}

func (p *Program) twice(src *diag.Source, name syntax.Name, old diag.Span, oldSrc *diag.Source) {
	line, _ := oldSrc.Position(old.Start)
	where := "line " + itoa(line)
	if oldSrc != src {
		where = oldSrc.Path + " " + where
	}
	p.errorf(src, name.Span, "N04", "`%s` is declared twice", name.Text).
		Note("first declared in %s", where).Help("choose another name: %s2", name.Text)
}

func (p *Program) importName(m *module, u *syntax.Use, src *diag.Source) {
	name := u.Path[len(u.Path)-1]
	if u.As != nil {
		name = *u.As
	}
	if name.Text == "" {
		return
	}
	if old := m.uses[name.Text]; old != nil {
		p.twice(src, name, old.u.Path[len(old.u.Path)-1].Span, old.src)
		return
	}
	m.uses[name.Text] = &use{u: u, src: src}
	p.imports = append(p.imports, imported{m, name})
}

type imported struct {
	m    *module
	name syntax.Name
}

// resolveUses binds the imported names. A name may lead through another
// import, so that each is resolved on first need.
func (p *Program) resolveUses() {
	for _, i := range p.imports {
		u := i.m.uses[i.name.Text]
		if d := i.m.items[i.name.Text]; d != nil {
			p.twice(u.src, i.name, d.at, d.src)
		}
		if u.target == nil {
			r := resolver{out: p.msgs, src: u.src, mod: i.m, skip: u}
			u.target = r.path(u.u.Path, "N08")
		}
	}
}

// resolver looks paths up from a module.
type resolver struct {
	out *diag.List
	src *diag.Source
	mod *module
	// skip is the import being resolved, which must not find itself.
	skip *use
}

// path finds what a path names, or reports with the given code.
func (r resolver) path(path []syntax.Name, code string) *decl {
	d := r.first(path[0].Text)
	if d == nil {
		r.unknown(path[0], code, r.visible(kindFor(code)))
		return nil
	}
	for _, name := range path[1:] {
		if d.kind != modDecl {
			r.report(name.Span, code, "`%s` is %s, and has no `%s`", d.name, declWords[d.kind], name.Text).Note("not a module")
			return nil
		}
		next := r.member(d.inner, name.Text)
		if next == nil {
			r.unknown(name, code, publicNames(d.inner))
			return nil
		}
		if !next.pub && !next.mod.contains(r.mod) {
			r.report(name.Span, "N05", "`%s` is private to its module", next.name).
				Note("not declared `pub`").Help("%s", publicHead(next))
			return nil
		}
		d = next
	}
	return d
}

func publicHead(d *decl) string {
	words := map[declKind]string{funcDecl: "fn", recordDecl: "record", constDecl: "const", modDecl: "mod"}
	return "write `pub` before `" + words[d.kind] + " " + last(d.name) + "`"
}

func last(qualified string) string {
	return qualified[strings.LastIndexByte(qualified, ':')+1:]
}

// first looks a name up here and in the enclosing modules.
func (r resolver) first(name string) *decl {
	for m := r.mod; m != nil; m = m.outer {
		if d := r.member(m, name); d != nil {
			return d
		}
	}
	return nil
}

// member looks a name up among a module's items and imports.
func (r resolver) member(m *module, name string) *decl {
	if m.load != nil {
		return m.load(name)
	}
	if d := m.items[name]; d != nil {
		return d
	}
	u := m.uses[name]
	if u == nil || u == r.skip || !m.contains(r.mod) {
		return nil
	}
	if u.target == nil && r.skip != nil {
		inner := resolver{out: new(diag.List), src: u.src, mod: m, skip: u}
		u.target = inner.path(u.u.Path, "N08")
	}
	return u.target
}

func (r resolver) report(at diag.Span, code, format string, args ...any) message {
	return addTo(r.out, r.src, at, code, sprintf(nil, format, args))
}

func (r resolver) unknown(name syntax.Name, code string, among []string) {
	if name.Text == "" {
		return
	}
	m := r.report(name.Span, code, "there is no `%s` here", name.Text).Note("not found")
	suggest(m, name.Text, among)
}

// visible lists the names of a kind that can be used from the module; modules
// lead to more and are always listed.
func (r resolver) visible(kind declKind) []string {
	var names []string
	for m := r.mod; m != nil; m = m.outer {
		for n, d := range m.items {
			if d.kind == kind || d.kind == modDecl {
				names = append(names, n)
			}
		}
		for n, u := range m.uses {
			if u.target != nil && u.target.kind == kind {
				names = append(names, n)
			}
		}
	}
	return names
}

func publicNames(m *module) []string {
	var names []string
	for n, d := range m.items {
		if d.pub {
			names = append(names, n)
		}
	}
	return names
}

// kindFor is the kind of item that a message of this code looks for.
func kindFor(code string) declKind {
	switch code {
	case "N02":
		return funcDecl
	case "N03":
		return recordDecl
	case "N08":
		return modDecl
	}
	return constDecl
}

// isTypeName reports the names of built-in types.
func isTypeName(name string) bool {
	switch name {
	case "idx", "Option", "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64":
		return true
	}
	return false
}

// variable is a name bound in a function. Its type never changes.
type variable struct {
	name   string
	mut    bool
	n      *graph.Node // the current value
	typ    *graph.Type
	span   diag.Span
	lambda int
	soft   *soft
	late   bool // it comes after what is at hand; see ofOneGroup
}

// frame is a function being elaborated: what its generic names stand for.
type frame struct {
	d     *decl // nil while a constant is evaluated
	mod   *module
	src   *diag.Source
	sizes map[string]size.Poly
	types map[string]*graph.Type
	base  int   // its first variable
	loop  *loop // innermost loop outside of any closure since

	moved   bool // from another file than the graph
	callPos diag.Span
	user    *frame // of a function of the prelude: that of the user's text that leads there
	fuse    bool   // at a sum that the prelude fuses
}

// lookup finds a variable of the current function.
func (e *elab) lookup(name string) *variable {
	for i := len(e.vars) - 1; i >= e.fr.base; i-- {
		if e.vars[i].name == name {
			return &e.vars[i]
		}
	}
	return nil
}

// bind adds a variable.
func (e *elab) bind(name syntax.Name, mut bool, n *graph.Node) {
	if name.Text == "_" {
		return
	}
	v := variable{name: name.Text, mut: mut, n: n, span: name.Span, lambda: e.lambda}
	if n != nil {
		v.typ, v.soft = n.Type, e.of(n).soft
		if n.Name == "" && n.Op != graph.Const && e.fr.user == nil {
			n.Name = name.Text
		}
	}
	e.vars = append(e.vars, v)
}

func (e *elab) resolver() resolver {
	return resolver{out: e.msgs, src: e.fr.src, mod: e.fr.mod}
}
