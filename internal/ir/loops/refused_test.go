package loops

import (
	"strings"
	"testing"
)

// Nests of a special form are taken for it, and such as differ in one place, on which the order of their iterations depends, are not.
func TestRefused(t *testing.T) {
	const (
		product = `for v8 in v3..v4 {
 v9 = mul i64 v8 v4
 for v10 in v3..v4 {
  v11 = fold v12 in v3..v4, add f64 {
   v13 = add i64 v9 v12
   v14 = load r1 v13
   v15 = mul i64 v12 v4
   v16 = add i64 v15 v10
   v17 = load r1 v16
   v18 = mul f64 v14 v17
   yield v18
  }
  v19 = add i64 v9 v10
  store r2 v19 v11
  yield
 }
 yield`
		transposition = `for v8 in v3..v4 {
 v9 = mul i64 v8 v6
 for v10 in v3..v6 {
  v11 = mul i64 v10 v4
  v12 = add i64 v11 v8
  v13 = load r1 v12
  v14 = add i64 v9 v10
  store r2 v14 v13
  yield
 }
 yield`
		scans = `v20 v21 = for v8 in v3..v4, v9 f64 = v7, v10 f64 = v7 {
 v11 = load r1 v8
 v12 = max f64 v9 v11
 v13 = min f64 v10 v11
 store r2 v8 v12
 yield v12 v13`
	)
	tiled := func(p *Plan) bool { return p != nil && p.Tile != nil }
	turned := func(p *Plan) bool { return p != nil && p.Turned != nil }
	scanned := func(p *Plan) bool { return p != nil && len(p.Prefixed) > 0 }
	for _, c := range []struct {
		name, text, old, new string
		is                   func(*Plan) bool
		want                 bool
	}{
		{"a product", product, "", "", tiled, true},
		{"a product of what it stores", product, "load r1 v16", "load r2 v16", tiled, false},
		{"a product whose rows overlap", product, "v9 = mul i64 v8 v4", "v9 = mul i64 v8 v5", tiled, false},
		{"a product from another column on", product, "for v10 in v3..v4", "for v10 in v5..v4", tiled, false},
		{"a product stored twice", product, "store r2 v19 v11", "store r2 v19 v11\n  store r2 v19 v7", tiled, false},
		{"a transposition", transposition, "", "", turned, true},
		{"a transposition of what it stores", transposition, "load r1 v12", "load r2 v12", turned, false},
		{"a transposition stored twice", transposition, "store r2 v14 v13", "store r2 v14 v13\n  store r2 v14 v7", turned, false},
		{"two scans", scans, "", "", scanned, true},
		{"one scan handed on twice", scans, " v12 = max f64 v9 v11\n v13 = min f64 v10 v11\n store r2 v8 v12\n yield v12 v13", " v12 = max f64 v9 v10\n store r2 v8 v12\n yield v12 v12", scanned, false},
		{"a scan that another use sees", scans, "store r2 v8 v12", "store r2 v8 v9", scanned, false},
	} {
		text := c.text
		if c.old != "" {
			if text = strings.Replace(c.text, c.old, c.new, 1); text == c.text {
				t.Fatalf("%s: nothing is different", c.name)
			}
		}
		k, in := loop(t, text)
		p, why := Of(k, nests).Plan(in)
		if c.is(p) != c.want {
			t.Errorf("%s: %v (%q), want %v", c.name, !c.want, why, c.want)
		}
	}
}
