package godwit_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/godwit-run/godwit"
	"github.com/godwit-run/godwit/internal/data"
)

// A column that a data set lacks becomes one of it with Widen: its rows have no value there, and the set is what a file of all rows would be.
func TestAppendAddsColumns(t *testing.T) {
	c := started(t, 2)
	for _, tt := range []struct{ name, first, more, all, types string }{
		{"an integer", "k\na\nb\n", "k,x\nc,5\n", "k,x\na,\nb,\nc,5\n", "k: Str, x: Option<i64>"},
		{"before the others", "k\na\nb\n", "x,k\n5,c\n", "k,x\na,\nb,\nc,5\n", "k: Str, x: Option<i64>"},
		{"a float", "k\na\n", "k,x\nc,2.5\n,1\n", "k,x\na,\nc,2.5\n,1\n", "k: Option<Str>, x: Option<f64>"},
		{"a date", "k\na\n", "k,x\nc,2001-03-14\nd,\n", "k,x\na,\nc,2001-03-14\nd,\n", "k: Str, x: Option<Date>"},
		{"a bool", "k\na\n", "k,x\nc,true\n", "k,x\na,\nc,true\n", "k: Str, x: Option<bool>"},
		{"text", "k\na\n", "k,x\nc,word\nd,\n", "k,x\na,NA\nc,word\nd,NA\n", "k: Str, x: Option<Str>"},
		{"text for another", "k,y\na,1\n", "k,x\nc,word\n", "k,y,x\na,1,NA\nc,,word\n", "k: Str, y: Option<i64>, x: Option<Str>"},
		{"none with a value", "k\na\n", "k,x\nc,\n", "k,x\na,\nc,\n", "k: Str, x: "},
	} {
		for _, by := range []string{"blocks", "hash(k)"} {
			ctx := t.Context()
			if by != "blocks" {
				ctx = data.WithCodes(ctx, 0) // codes of texts lie in a file then
			}
			if _, err := c.Load(ctx, csvOf(t, tt.first), "s", godwit.LoadOptions{Replace: true, Shards: 2, By: by}); err != nil {
				t.Fatal(err)
			}
			more := csvOf(t, tt.more)
			for again := range 2 {
				l, err := c.Load(ctx, more, "s", godwit.LoadOptions{Append: true, Widen: true})
				if err != nil || l.More.Known != (again > 0) {
					t.Fatalf("%s, by %s: %+v, %v", tt.name, by, l, err)
				}
				if again == 0 && !strings.Contains(strings.Join(l.Notes, "\n"), "@s had no column `x`") {
					t.Errorf("%s: notes %q", tt.name, l.Notes)
				}
			}
			if got := typesOf(t, c, "s"); !strings.HasPrefix(got, tt.types) {
				t.Errorf("%s, by %s: %s, expected %s", tt.name, by, got, tt.types)
				continue
			}
			src := "record R { k: Str }\nfn f(r: &[R; N]) -> [Str; N] { r.map(|e| e.k).sort() }"
			if _, x, ok := strings.Cut(typesOf(t, c, "s"), "x: "); ok {
				src = "record R { k: Option<Str>, x: " + x + " }\nfn f(r: &[R; N]) -> [(Option<Str>, " + x + "); N] { r.sort(|e| e.k).map(|e| (e.k, e.x)) }"
			}
			f := fn(t, src)
			got, err := f.Call(ctx, godwit.Args{"r": godwit.DataSet("s")}, godwit.WithCluster(c))
			if err != nil {
				t.Fatalf("%s, by %s: %v", tt.name, by, err)
			}
			want, err := f.Call(ctx, godwit.Args{"r": godwit.Text(csvOf(t, tt.all) + "?na=NA")})
			if err != nil {
				t.Fatal(err)
			}
			if string(got.JSON()) != string(want.JSON()) {
				t.Errorf("%s, by %s: %s, a file of all has %s", tt.name, by, got.JSON(), want.JSON())
			}
		}
	}
}

// An error about columns names all that differ, and each of its helps works when it is done.
func TestAppendNamesAllColumns(t *testing.T) {
	c := started(t, 2)
	for _, tt := range []struct {
		first, more, refused, types string
		helps                       []string
	}{
		{"k,distance\na,1\n", "k,dist\nb,2\n", "@s has the column `distance`, and this file has not; it has `dist`, and @s has not", "k: Str, distance: i64",
			[]string{"sed ", "--widen", "--skip 'dist' --widen"}},
		{"k,distance,year\na,1,2\n", "k,yaer,distence,gate\nb,2,3,4\n", "@s has the columns `distance` and `year`, and this file has not; it has `yaer`, `distence` and `gate`, and @s has not", "",
			[]string{"sed ", "--widen", "--skip 'yaer' --skip 'distence' --skip 'gate' --widen"}},
		{"k,v\na,1\n", "k,w,v\nb,2,2\n", "column `w`: @s has no such column", "", []string{"--widen", "--skip 'w'"}},
		{"k,v,u\na,1,1\n", "k,w,v\nb,2,2.5\n", "@s has the column `u`, and this file has not; it has `w`, and @s has not; `v` is i64 there, and f64 here", "", []string{"sed ", "--widen", "--skip 'w' --widen"}},
		{"k,v,u\na,1,1\n", "k\nb\n", "@s has the columns `v` and `u`, and this file has not", "", []string{"--widen"}},
		{"k\na\n", "k,v,u\nb,1,2\n", "@s has no columns `v` and `u`", "", []string{"--widen", "--skip 'v' --skip 'u'"}},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "more.csv")
		if err := os.WriteFile(path, []byte(tt.more), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.helps {
			if _, err := c.Load(t.Context(), csvOf(t, tt.first), "s", godwit.LoadOptions{Replace: true}); err != nil {
				t.Fatal(err)
			}
			_, err := c.Load(t.Context(), path, "s", godwit.LoadOptions{Append: true})
			if err == nil || !strings.Contains(err.Error(), tt.refused) || !strings.Contains(help(err), want) {
				t.Errorf("%v\n%s\nexpected %s, and %s", err, help(err), tt.refused, want)
				continue
			}
			opt := godwit.LoadOptions{Append: true, Widen: strings.Contains(want, "--widen")}
			for _, w := range strings.Split(want, "--skip '")[1:] {
				name, _, _ := strings.Cut(w, "'")
				opt.Skip = append(opt.Skip, name)
			}
			from := path
			if want == "sed " {
				line, _, _ := strings.Cut(help(err)[strings.Index(help(err), "sed "):], " && godwit load renamed.csv --as s --append")
				run := exec.Command("sh", "-c", line)
				run.Dir = dir
				if out, err := run.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", line, err, out)
				}
				from = filepath.Join(dir, "renamed.csv")
			}
			l, err := c.Load(t.Context(), from, "s", opt)
			if err != nil && want == "sed " && tt.types == "" {
				continue // and says what else differs
			}
			if err != nil || l.More.Rows != 1 {
				t.Errorf("%s of %q: %+v, %v", want, tt.more, l, err)
			} else if got := typesOf(t, c, "s"); want == "sed " && tt.types != "" && got != tt.types {
				t.Errorf("%s, expected %s", got, tt.types)
			}
		}
	}
}

// A command that renames a column is given for a file that is read as it lies there, and whose names are words: else it would lose an option, or rename
// something else.
func TestRenamedByCommand(t *testing.T) {
	c := started(t, 1)
	for _, tt := range []struct {
		first, more, options string
		command              bool
	}{
		{"id,price\n1,2.5\n", "id,cost\n3,1\n", "", true},
		{"id,price\n1,2.5\n", "id,cost\n3,1\n4,-999\n", "?na=-999", false},
		{"id,price\n1,2.5\n", "# export\nid,cost\n3,1\n", "?skip=1", false},
		{"net-price,cost\n1,2\n", "net-price,price\n1,2\n", "", false},
		{"id,price\n1,2.5\n", "\n\nid,cost\n3,1\n", "", false},
		{"price list,cost\n1,2\n", "price list,price\n1,2\n", "", false},
	} {
		path := filepath.Join(t.TempDir(), "more.csv")
		if err := os.WriteFile(path, []byte(tt.more), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Load(t.Context(), csvOf(t, tt.first), "s", godwit.LoadOptions{Replace: true}); err != nil {
			t.Fatal(err)
		}
		_, err := c.Load(t.Context(), path+tt.options, "s", godwit.LoadOptions{Append: true})
		if err == nil || strings.Contains(help(err), "sed ") != tt.command || !strings.Contains(help(err), "--widen") {
			t.Errorf("%q%s: %v\n%s", tt.more, tt.options, err, help(err))
		}
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("renamed.csv", []byte("id,costs\n3,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Load(t.Context(), csvOf(t, "id,cost\n1,2\n"), "s", godwit.LoadOptions{Replace: true}); err != nil {
		t.Fatal(err)
	}
	_, err := c.Load(t.Context(), "renamed.csv", "s", godwit.LoadOptions{Append: true})
	if err == nil || !strings.Contains(help(err), "'renamed.csv' > renamed-2.csv && godwit load renamed-2.csv ") {
		t.Errorf("%v\n%s", err, help(err))
	}
}

// A column whose name is only like that of one in the set is another one: nothing of it is added to that one without a word, and a set may have both.
func TestAppendNamesExactly(t *testing.T) {
	c := started(t, 1)
	for _, tt := range []struct{ first, more, types string }{
		{"a,price ($)\n1,5\n", "a,price (%)\n2,7\n", "a: i64, price ($): Option<i64>, price (%): Option<i64>"},
		{"a,x-1\n1,5\n", "a,x+1\n2,7\n", "a: i64, x-1: Option<i64>, x+1: Option<i64>"},
		{"a,City\n1,5\n", "a,city\n2,7\n", "a: i64, City: Option<i64>, city: Option<i64>"},
		{"a,City,city\n1,5,6\n", "a,city\n2,7\n", "a: i64, City: Option<i64>, city: i64"},
		{"a,City,city\n1,5,6\n", "City,a,city\n7,2,8\n", "a: i64, City: i64, city: i64"},
	} {
		if _, err := c.Load(t.Context(), csvOf(t, tt.first), "s", godwit.LoadOptions{Replace: true}); err != nil {
			t.Fatal(err)
		}
		before := typesOf(t, c, "s")
		more := csvOf(t, tt.more)
		_, err := c.Load(t.Context(), more, "s", godwit.LoadOptions{Append: true})
		if same := tt.types == before; same != (err == nil) {
			t.Errorf("%q behind %q: %v", tt.more, tt.first, err)
		}
		if err == nil {
			continue
		}
		if !strings.Contains(err.Error(), "--widen") {
			t.Errorf("%q behind %q: %v, which does not say what to do", tt.more, tt.first, err)
		}
		if _, err := c.Load(t.Context(), more, "s", godwit.LoadOptions{Append: true, Widen: true}); err != nil {
			t.Errorf("%q behind %q, widened: %v", tt.more, tt.first, err)
			continue
		}
		if got := typesOf(t, c, "s"); got != tt.types {
			t.Errorf("%q behind %q: %s, expected %s", tt.more, tt.first, got, tt.types)
		}
	}
}
