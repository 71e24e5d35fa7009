package syntax

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/front/diag"
)

// Dump writes a file's items as text, one node a line, indented, without
// positions and comments: what two texts of the same meaning share.
func Dump(f *File) string {
	var b strings.Builder
	for _, it := range f.Items {
		dump(&b, reflect.ValueOf(it), 0)
	}
	return b.String()
}

// Equal reports whether two files have the same tree and the same comments in
// the same order, wherever they stand.
func Equal(a, b *File) bool {
	same := func(x, y Comment) bool { return x.Text == y.Text }
	return Dump(a) == Dump(b) && slices.EqualFunc(a.Comments, b.Comments, same)
}

var (
	spanType = reflect.TypeFor[diag.Span]()
	nameType = reflect.TypeFor[Name]()
)

// dump writes v and ends the line.
func dump(b *strings.Builder, v reflect.Value, level int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			b.WriteString("nil\n")
			return
		}
		dump(b, v.Elem(), level)
	case reflect.Slice:
		if v.Len() > 0 && v.Type().Elem() == nameType {
			dumpPath(b, v)
			return
		}
		b.WriteString("\n")
		for i := range v.Len() {
			b.WriteString(strings.Repeat("  ", level) + "- ")
			dump(b, v.Index(i), level+1)
		}
	case reflect.Struct:
		dumpStruct(b, v, level)
	default:
		fmt.Fprintf(b, "%v\n", v.Interface())
	}
}

func dumpPath(b *strings.Builder, v reflect.Value) {
	for i := range v.Len() {
		if i > 0 {
			b.WriteString("::")
		}
		b.WriteString(v.Index(i).FieldByName("Text").String())
	}
	b.WriteString("\n")
}

// dumpStruct leaves out positions and empty fields.
func dumpStruct(b *strings.Builder, v reflect.Value, level int) {
	t := v.Type()
	if t == nameType {
		fmt.Fprintf(b, "%s\n", v.FieldByName("Text").String())
		return
	}
	b.WriteString(t.Name() + "\n")
	for i := range t.NumField() {
		f := v.Field(i)
		if t.Field(i).Type == spanType || f.IsZero() || f.Kind() == reflect.Slice && f.Len() == 0 {
			continue
		}
		b.WriteString(strings.Repeat("  ", level) + t.Field(i).Name + ": ")
		dump(b, f, level+1)
	}
}
