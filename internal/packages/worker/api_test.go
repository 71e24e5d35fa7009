//go:build !static

package worker

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/packages/pack"
)

// results runs X_main with this body, in which r is an array of int32 that becomes
// the reply, and gives the array.
func results(t *testing.T, body string, c *Call) ([]int32, *Outcome) {
	t.Helper()
	p := newPool(t, Options{Limits: Limits{Sends: 3, Bytes: 1000}})
	mustLoad(t, p, compile(t, "x", inMain("int32_t r[16] = {0}; "+body+" gw_reply(r, sizeof r);")))
	o := mustCall(t, p, "x", c)
	r := make([]int32, len(o.Reply)/4)
	if _, err := binary.Decode(o.Reply, binary.LittleEndian, r); err != nil {
		t.Fatal(err)
	}
	return r, o
}

func expect(t *testing.T, got []int32, want ...int32) {
	t.Helper()
	for i, w := range want {
		if i >= len(got) || got[i] != w {
			t.Fatalf("got %v, expected %v", got, want)
		}
	}
}

func TestNodes(t *testing.T) {
	r, _ := results(t, `
		uint32_t ids[4] = {0};
		r[0] = gw_node(); r[1] = gw_nodes(ids, 2); r[2] = ids[0]; r[3] = ids[1]; r[4] = ids[2];
		r[5] = gw_nodes(0, 0); r[6] = gw_nodes(ids, 100); r[7] = ids[2];`,
		&Call{Self: 7, Nodes: []uint32{3, 7, 9}})
	expect(t, r, 7, 3, 3, 7, 0, 3, 3, 9)
}

func TestSends(t *testing.T) {
	hash := strings.Repeat("0123456789abcdef", 4)
	r, o := results(t, fmt.Sprintf(`
		int n = 0;
		r[n++] = gw_self_forward(9, "ab", 2);
		r[n++] = gw_send("other", 3, payload, size);
		r[n++] = gw_self_forward(4, 0, 0);
		r[n++] = gw_send("no name", 3, 0, 0);
		r[n++] = gw_send("", 3, 0, 0);
		r[n++] = gw_send(0, 3, 0, 0);
		r[n++] = gw_send("other", 3, 0, 1);
		r[n++] = gw_send("other", 3, r, 1000);
		r[n++] = gw_send("%s", 3, 0, 0);
		r[n++] = gw_self_forward(3, 0, 0);
		r[n++] = gw_reply(0, 3);
		r[n++] = gw_reply(payload, 1 << 20);`, hash),
		&Call{Payload: []byte("payload"), Self: 3, Nodes: []uint32{3, 9}})
	expect(t, r, gwOK, gwOK, gwNode, gwPackage, gwPackage, gwPackage, gwArgument, gwLimit, gwOK, gwLimit, gwArgument, gwLimit)
	want := []Send{{9, "", []byte("ab")}, {3, "other", []byte("payload")}, {3, hash, nil}}
	if len(o.Sends) != len(want) {
		t.Fatalf("%+v", o.Sends)
	}
	for i, w := range want {
		if s := o.Sends[i]; s.To != w.To || s.Package != w.Package || !bytes.Equal(s.Payload, w.Payload) {
			t.Errorf("parcel %d is %+v, expected %+v", i, s, w)
		}
	}
}

func TestOneReply(t *testing.T) {
	p := newPool(t, Options{})
	mustLoad(t, p, compile(t, "x", inMain(`
		int32_t r = gw_reply("a", 1) == GW_OK && gw_reply("b", 1) == GW_REPLIED;
		if (!r) __builtin_trap();`)))
	if o := mustCall(t, p, "x", &Call{}); string(o.Reply) != "a" {
		t.Errorf("%+v", o)
	}
}

func TestGiantReply(t *testing.T) {
	p := newPool(t, Options{})
	mustLoad(t, p, compile(t, "x", "static char big[(16 << 20) + 1];"+inMain(`
		int refused = gw_reply(big, sizeof big);
		big[sizeof big - 2] = refused;
		gw_reply(big, sizeof big - 1);`)))
	o := mustCall(t, p, "x", &Call{})
	if len(o.Reply) != 16<<20 || int8(o.Reply[len(o.Reply)-1]) != gwLimit {
		t.Errorf("a reply of %d bytes", len(o.Reply))
	}
}

func TestFunction(t *testing.T) {
	lib := cc(t, "int twice(int n) { return 2 * n; }", true)
	text := inMain(`
		int (*twice)(int) = gw_function("twice");
		double (*cos)(double) = gw_function("cos");
		int32_t r[3] = {twice ? twice(21) : -1, gw_function("nowhere") == 0, cos ? (int)(cos(0) * 10) : -1};
		gw_reply(r, sizeof r);`)
	p := newPool(t, Options{})
	prog := compile(t, "x", text)
	prog.Exports, prog.Deps = []string{lib}, []string{"libm.so.6"}
	mustLoad(t, p, prog)
	o := mustCall(t, p, "x", &Call{})
	want := []byte{42, 0, 0, 0, 1, 0, 0, 0, 10, 0, 0, 0}
	if !bytes.Equal(o.Reply, want) {
		t.Errorf("%v", o.Reply)
	}
}

func TestDependencies(t *testing.T) {
	text := "double cos(double); void *malloc(size_t); int printf(const char *, ...);\n" + inMain(`
		double *d = malloc(8); *d = cos(*(double *)payload); gw_reply(d, 8);`)
	p := newPool(t, Options{})
	for _, c := range []struct {
		deps []string
		want string
	}{
		{nil, "to malloc-4: the symbol is not defined"},
		{[]string{"libnothere.so.9"}, "library libnothere.so.9 cannot be loaded on this node"},
		{[]string{"/lib/../lib/libm.so.6"}, "expected the name of a library, not a path"},
		{[]string{"libm.so.6", "libc.so.6"}, ""},
	} {
		prog := compile(t, "x", text)
		prog.Deps = c.deps
		_, err := p.Load(within30(t), prog)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: got %v, expected %q", c.deps, err, c.want)
		}
	}
	o := mustCall(t, p, "x", &Call{Payload: make([]byte, 8)})
	if binary.LittleEndian.Uint64(o.Reply) != 0x3ff0000000000000 {
		t.Errorf("cos 0 is %v", o.Reply)
	}
}

func TestBadObjects(t *testing.T) {
	p := newPool(t, Options{})
	needClang(t)
	for want, prog := range map[string]*Program{
		"does not define x_main":  compile(t, "a", "void y_main(void) {}"),
		"object":                  {ID: "b", Name: "x", Object: []byte("no object")},
		"but not x_payload_bound": compile(t, "c", inMain("")+"int x_payload_init(void *p) { return 0; }"),
		"thread-local storage":    compile(t, "d", "__thread int v;"+inMain("gw_reply(&v, 4);")),
	} {
		if _, err := p.Load(within30(t), prog); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, expected %q", err, want)
		}
	}
}

// What the code prints goes to the log, and does not break the protocol.
func TestPrints(t *testing.T) {
	var text bytes.Buffer
	p := newPool(t, Options{Log: slog.New(slog.NewTextHandler(&text, nil))})
	prog := compile(t, "talker", "#include <stdio.h>\n"+inMain(`
		printf("printed %d\n", 1); fflush(stdout); fprintf(stderr, "error\n"); gw_log("logged \x1b[31m");
		for (int i = 0; i < 1000; i++) gw_log("again");
		gw_reply("ok", 2);`))
	prog.Deps = []string{"libc.so.6"}
	mustLoad(t, p, prog)
	if o := mustCall(t, p, "talker", &Call{}); string(o.Reply) != "ok" {
		t.Errorf("%+v", o)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	got := text.String()
	for _, want := range []string{`text="printed 1"`, "text=error", `text="logged  [31m"`, `package="x talker"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the log lacks %q:\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n"); n > lineCount+2 {
		t.Errorf("%d lines in the log", n)
	}
}

func TestPayloadInit(t *testing.T) {
	main := inMain("gw_reply(payload, size);")
	full := `
		size_t x_payload_bound(const void *args, size_t size) { return 3 * size; }
		int x_payload_init(void *payload, size_t *n, const void *args, size_t size) {
			const char *a = args; char *p = payload;
			if (*n != 3 * size || gw_region("r", 0) || gw_self_forward(0, 0, 0) != GW_FORBIDDEN || gw_reply("", 0) != GW_FORBIDDEN) return 99;
			for (size_t i = 0; i < size; i++) p[2 * i] = a[i];
			*n = size ? 2 * size : 1 << 30;
			return size && a[0] == '!' ? -5 : 0;
		}`
	for _, c := range []struct{ name, text, args, reply, want string }{
		{"none", main, "abc", "abc", ""},
		{"init", main + full, "abc", "a\x00b\x00c\x00", ""},
		{"refuses", main + full, "!", "", "x_payload_init refuses the arguments: it returned -5"},
		{"lies", main + full, "", "", "says that it wrote 1073741824 bytes; x_payload_bound allowed 0"},
		{"too much", main + "size_t x_payload_bound(void) { return -1; } int x_payload_init(void) { return 0; }", "", "", "gives 18446744073709551615 bytes; the node accepts at most 16777216"},
		{"crashes", main + "size_t x_payload_bound(void) { return *(volatile int *)0; } int x_payload_init(void) { return 0; }", "", "", "null pointer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPool(t, Options{})
			mustLoad(t, p, compile(t, "x", c.text))
			o, err := p.Call(within30(t), "x", &Call{Init: true, Payload: []byte(c.args)})
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, expected %q", err, c.want)
				}
				return
			}
			if err != nil || !o.Replied || string(o.Reply) != c.reply {
				t.Errorf("got %+v, %v", o, err)
			}
		})
	}
}

func TestRefusedCalls(t *testing.T) {
	p := newPool(t, Options{Limits: Limits{Bytes: 100}})
	r, err := NewRegion(1)
	if err != nil {
		t.Fatal(err)
	}
	closed, err := NewRegion(1)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	defer r.Close()
	mustLoad(t, p, compile(t, "x", inMain("")))
	many := make([]Grant, pack.MaxGrants+1)
	for i := range many {
		many[i] = Grant{fmt.Sprint(i), r, false}
	}
	for want, c := range map[string]*Call{
		"a payload of 101 bytes":  {Payload: make([]byte, 101)},
		"65 regions are granted":  {Grants: many},
		"two regions are granted": {Grants: []Grant{{"a", r, true}, {"a", r, false}}},
		`region "a" is nil`:       {Grants: []Grant{{"a", nil, true}}},
		`"a" has been closed`:     {Grants: []Grant{{"a", closed, true}}},
	} {
		if _, err := p.Call(context.Background(), "x", c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, expected %q", err, want)
		}
	}
	mustCall(t, p, "x", &Call{Grants: many[:pack.MaxGrants]})
}
