package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/size"
	"github.com/godwit-run/godwit/internal/front/types"
)

// equation says that a declared size is a number in this run.
type equation struct {
	poly size.Poly
	got  int64
	arg  string        // the argument that shows it
	says func() string // in words: "v.npy has 5 rows"
	typ  string        // the declared type, as written
}

// sizes solves the equations of all arguments for the declared sizes.
type sizes struct {
	known map[string]int64
	from  map[string]*equation // which one gave a size its value
}

func newSizes() *sizes { return &sizes{known: map[string]int64{}, from: map[string]*equation{}} }

func (s *sizes) value(name string) (int64, bool) {
	n, ok := s.known[name]
	return n, ok
}

func (s *sizes) eval(p size.Poly) (int64, bool) { return p.Eval(s.value) }

// all reports that every size in p is known.
func (s *sizes) all(p size.Poly) bool {
	return !slices.ContainsFunc(p.Vars(), func(name string) bool { _, known := s.value(name); return !known })
}

// solve finds the sizes. An equation with several unknown sizes waits until
// others have found all but one of them.
func (s *sizes) solve(list []*equation) error {
	for progress := true; progress; {
		progress = false
		var wait []*equation
		for _, e := range list {
			done, err := s.use(e)
			if err != nil {
				return err
			}
			if progress = progress || done; !done {
				wait = append(wait, e)
			}
		}
		list = wait
	}
	for _, e := range list {
		return s.stuck(e)
	}
	return nil
}

// use checks an equation or learns a size from it; false if it must wait.
func (s *sizes) use(e *equation) (bool, error) {
	if name, ok := e.poly.IsVar(); ok {
		return true, s.learn(name, e)
	}
	rest := e.poly.Subst(func(name string) (size.Poly, bool) {
		n, ok := s.known[name]
		return size.Const(n), ok
	})
	open := rest.Vars()
	if len(open) == 0 {
		if n, ok := rest.Const(); !ok || n != e.got {
			return true, s.conflict(e, n)
		}
		return true, nil
	}
	if len(open) > 1 {
		return false, nil
	}
	p, ok := types.Solve(rest, open[0], size.Const(e.got))
	n, isNumber := p.Const()
	if !ok || !isNumber || n < 0 {
		return false, nil
	}
	s.known[open[0]], s.from[open[0]] = n, e
	return true, nil
}

// learn takes a size from an equation that says nothing else.
func (s *sizes) learn(name string, e *equation) error {
	n, known := s.known[name]
	switch {
	case known && n != e.got:
		return s.conflict(e, n)
	case !known:
		s.known[name], s.from[name] = e.got, e
	}
	return nil
}

// conflict explains an equation that does not hold, naming the arguments
// that the sizes in it came from.
func (s *sizes) conflict(e *equation, want int64) error {
	names := e.poly.Vars()
	if len(names) == 0 {
		return refuse(e.arg, "", "%s, but %s: %s expected there", e.says(), e.declared(), diag.Prose(want))
	}
	var because []string
	for _, name := range names {
		because = append(because, name+" = "+diag.Prose(s.known[name])+" ("+s.reason(name)+")")
	}
	declared := e.declared()
	if _, plain := e.poly.IsVar(); !plain {
		declared += fmt.Sprintf(", where %s is %s", e.poly, diag.Prose(want))
	}
	help := "give arguments that fit together"
	if from := s.from[names[0]]; from != nil && from.arg != e.arg {
		help += ", or declare `" + e.arg + "` with a size of its own"
	}
	return refuse(e.arg, help, "%s, but %s: %s", e.says(), declared, strings.Join(because, ", "))
}

// declared says what type the argument has.
func (e *equation) declared() string {
	if strings.HasPrefix(e.says(), "`"+e.arg+"`") {
		return "is declared " + e.typ
	}
	return "`" + e.arg + "` is declared " + e.typ
}

// reason says where a size has its value from.
func (s *sizes) reason(name string) string {
	if e := s.from[name]; e != nil {
		return e.says()
	}
	return "as given"
}

// stuck explains an equation that gives no size.
func (s *sizes) stuck(e *equation) error {
	var open []string
	for _, name := range e.poly.Vars() {
		if _, ok := s.known[name]; !ok {
			open = append(open, name)
		}
	}
	name := open[0]
	return refuse(e.arg, "give the size as an argument, "+name+"=…, or an argument of another length",
		"%s, but %s: from this alone no size %s with %s = %s is found", e.says(), e.declared(), strings.Join(open, ", "), e.poly, diag.Prose(e.got))
}
