package graph

import "fmt"

// Pass is a rewrite of a graph in place. After it, Verify must hold and the
// graph mean the same.
type Pass struct {
	Name string
	Run  func(*Graph)
}

// Passes is what every graph goes through, in this order.
var Passes = []Pass{
	{"simplify", Simplify},
	{"laws", Recognize},
	{"tidy", Simplify},
	{"share", Share},
	{"prune", Prune},
}

// passOrder says which pass must come before which, and why.
var passOrder = []struct{ before, after, why string }{
	{"simplify", "laws", "a field of a tuple just made hides the operator"},
	{"laws", "tidy", "a lawful tuple is taken apart and put together again"},
	{"tidy", "share", "the same field of a tuple just made has two names"},
	{"laws", "share", "the expressions of two folds may be the same"},
	{"share", "prune", "what was computed twice leaves arguments unused"},
}

func init() {
	if err := checkOrder(Passes); err != nil {
		panic(err)
	}
}

func checkOrder(passes []Pass) error {
	at := map[string]int{}
	for i, p := range passes {
		if _, twice := at[p.Name]; twice {
			return fmt.Errorf("the pass %s is listed twice", p.Name)
		}
		at[p.Name] = i
	}
	for _, o := range passOrder {
		a, b := at[o.before], at[o.after]
		if _, ok := at[o.before]; !ok || a >= b {
			return fmt.Errorf("the pass %s must come before %s: %s", o.before, o.after, o.why)
		}
	}
	return nil
}

// Optimize runs all passes; with check it verifies the graph before the
// first and after each.
func Optimize(g *Graph, check bool) error {
	if check {
		if err := Verify(g); err != nil {
			return err
		}
	}
	for _, p := range Passes {
		p.Run(g)
		if !check {
			continue
		}
		if err := Verify(g); err != nil {
			return fmt.Errorf("after %s: %w", p.Name, err)
		}
	}
	return nil
}
