package godwit

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/data/value"
	"github.com/godwit-run/godwit/internal/engine/mem"
	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/ir/graph"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// Args are the arguments of a call by the names of parameters, and of sizes
// that no parameter fixes. An argument may be
//
//   - a [File], [Files], a [Text] or a [DataSet],
//   - a Go number, bool, struct (for records and tuples) or pointer (for
//     Option, nil is None), and slices of these, nested for arrays of arrays,
//   - an Arrow record batch, table or array,
//   - a [*Result] of an earlier call, a *value.Value, or a data.Source.
//
// Slices of numbers are not copied for native code.
type Args map[string]any

// File is the path of an .npy, .csv, .tsv, .jsonl, .arrow, .feather or .parquet file, which may be compressed (.gz, .zst). A path with options behind
// it, as on the command line, is a [Text].
type File string

// Text is an argument as on the command line: a literal such as [1, 2]; names of files, folders or patterns with commas between them,
// with options of text and a column behind them, as a.csv,b.csv?sep=;#column; - for standard input; or @name or
// @name#column for a data set of the cluster.
type Text string

// DataSet names a data set of the cluster that the call is connected with.
type DataSet string

// sources are what was made for a call.
type sources []data.Source

func (list sources) close() {
	for _, s := range list {
		s.Close()
	}
}

// bind matches the arguments with parameters. What is open is to be closed, also after an error.
func (a Args) bind(ctx context.Context, f *compile.Func, c *Cluster, threads int) (b *compile.Bound, open sources, err error) {
	var room [8]compile.Given
	if list := a.inOrder(f, room[:0]); list != nil {
		if b, err = f.Again(list); b != nil || err != nil {
			return b, nil, err
		}
	}
	list, open, err := a.convert(f, c)
	if err != nil {
		return nil, open, err
	}
	if b, err = f.BindIn(data.WithThreads(ctx, threads), list); err != nil {
		err = namedWith(err)
	}
	return b, open, err
}

// inOrder gives arrays in memory and numbers in the order of the parameters; nil if there is anything else.
func (a Args) inOrder(f *compile.Func, list []compile.Given) []compile.Given {
	params := f.Graph.Body.Params[:f.Graph.Given()]
	if len(params) != len(a) {
		return nil
	}
	for i, p := range params {
		g, ok := compile.Given{}, false
		switch {
		case p.Type.Kind == graph.Array:
			g, ok = array(f, i, a[p.Name])
		case p.Type.IsScalar():
			g, ok = number(p.Type, a[p.Name])
		}
		if !ok {
			return nil
		}
		list = append(list, g)
	}
	return list
}

// array gives parameter i an array in memory.
func array(f *compile.Func, i int, v any) (g compile.Given, ok bool) {
	switch v := v.(type) {
	case data.Source:
		return compile.Array(v)
	case *value.Value:
		return f.Array(i, v)
	case *Result:
		if v.away() != nil {
			return g, false
		}
		return f.Array(i, v.value)
	}
	k, b := flat(v)
	if len(b) == 0 {
		return g, false
	}
	return compile.Memory(k, b), true
}

// number gives a scalar; convert gives the error if it is none.
func number(t *graph.Type, v any) (g compile.Given, ok bool) {
	x := reflect.ValueOf(v)
	if !x.IsValid() || x.Kind() < reflect.Bool || x.Kind() > reflect.Float64 {
		return g, false
	}
	bits, err := scalarBits(t, x, true)
	return compile.Given{Kind: t.KindOf(), Bits: bits}, err == nil
}

// convert gives all arguments the form that binding takes. What is open is to be closed, also after an error.
func (a Args) convert(f *compile.Func, c *Cluster) (list compile.Args, open sources, err error) {
	if err := f.Knows(slices.Collect(maps.Keys(a))); err != nil {
		return nil, nil, err
	}
	list = make(compile.Args, len(a))
	for name, v := range a {
		if src, err := arrowSource(name, v); err != nil {
			return nil, open, err
		} else if src != nil {
			open = append(open, src)
			v = src
		}
		if set, column, ok := dataSet(v); ok {
			src, err := c.open(name, set)
			if err != nil {
				return nil, open, err
			}
			list[name] = compile.Table{Source: src, Column: column}
			continue
		}
		if list[name], err = argument(f, name, v); err != nil {
			return nil, open, err
		}
	}
	return list, open, nil
}

// dataSet tells whether an argument names a data set, and which column of it.
func dataSet(v any) (set, column string, ok bool) {
	switch v := v.(type) {
	case DataSet:
		set, ok = string(v), true
	case Text:
		set, ok = strings.CutPrefix(string(v), "@")
	}
	set, column, _ = strings.Cut(set, "#")
	return set, column, ok
}

// arrowSource makes a source of an Arrow value; nil for anything else. Arrow panics where values are nil or were released.
func arrowSource(name string, v any) (src data.Source, err error) {
	defer func() {
		if p := recover(); p != nil {
			src, err = nil, &InputError{Arg: name, Text: fmt.Sprintf("argument `%s` is a %T that cannot be read: %v", name, v, p),
				Help: "give one that is not nil, and release it after the call"}
		}
	}()
	switch v := v.(type) {
	case arrow.RecordBatch:
		return data.FromArrow(v), nil
	case arrow.Table:
		return data.FromTable(v), nil
	case arrow.Array:
		return data.FromArray(v), nil
	}
	return nil, nil
}

func argument(f *compile.Func, name string, v any) (compile.Arg, error) {
	switch v := v.(type) {
	case File:
		return compile.File{Path: string(v)}, nil
	case Files:
		if len(v) == 0 {
			return nil, &InputError{Arg: name, Text: "argument `" + name + "` is a list of no files", Help: "name one at least"}
		}
		return compile.Files{Spec: data.Several(v, data.Options{})}, nil
	case Text:
		return compile.Text(v), nil
	case data.Source:
		if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && r.IsNil() {
			return nil, &InputError{Arg: name, Text: "argument `" + name + "` is a nil " + r.Type().String()}
		}
		return compile.Table{Source: data.Callers(v)}, nil
	case *Result:
		if err := v.away(); err != nil {
			return nil, err
		}
		return compile.Value{Value: v.value, Orders: v.orders}, nil
	case *value.Value:
		return compile.Value{Value: v}, nil
	case string:
		if typeOf(f, name).Means.Sort != meaning.None {
			break
		}
		return nil, &InputError{Arg: name, Text: "argument `" + name + "` is a string", Help: "use godwit.File(path) or godwit.Text(literal)"}
	}
	t := typeOf(f, name)
	if src := slice(name, v); src != nil && t.Kind == graph.Array {
		return compile.Table{Source: src}, nil
	}
	enc, err := encode(t, reflect.ValueOf(v))
	if err != nil {
		return nil, &InputError{Arg: name, Text: "argument `" + name + "`: " + err.Error(), Err: err}
	}
	return compile.Value{Value: enc}, nil
}

// typeOf is the declared type of a parameter; whatever else has that name is
// a size, or nothing, which binding reports.
func typeOf(f *compile.Func, name string) *graph.Type {
	for i, p := range f.Graph.Body.Params {
		if p.Name == name {
			return f.Graph.ParamType(i)
		}
	}
	return graph.I64Type
}

// slice makes a source over a slice of numbers without copying them; nil for
// anything else.
func slice(name string, v any) data.Source {
	k, b := flat(v)
	if k == num.Invalid {
		return nil
	}
	return data.Slice(name, k, b)
}

// flat is the memory of a slice of numbers; of no kind for anything else.
func flat(v any) (k num.Kind, b []byte) {
	switch xs := v.(type) {
	case []float32:
		return num.F32, raw(xs)
	case []float64:
		return num.F64, raw(xs)
	case []int8:
		return num.I8, raw(xs)
	case []int16:
		return num.I16, raw(xs)
	case []int32:
		return num.I32, raw(xs)
	case []int64:
		return num.I64, raw(xs)
	case []uint8:
		return num.U8, raw(xs)
	case []uint16:
		return num.U16, raw(xs)
	case []uint32:
		return num.U32, raw(xs)
	case []uint64:
		return num.U64, raw(xs)
	case []bool:
		return num.Bool, raw(xs)
	}
	return num.Invalid, nil
}

// Make gives a slice of n zeros for arguments, as make does, but asks for huge pages, as results have them: a
// processor reads many megabytes sooner from these. A large one takes up to 68 KiB more. It panics if n is negative or far too large, as make does.
func Make[T value.Number](n int) []T {
	var zero T
	size := int64(unsafe.Sizeof(zero))
	skip, more := mem.Stagger(int64(n) * size) // where this overflows, make panics
	xs := make([]T, n+int(more/size))
	mem.AskHuge(raw(xs))
	return xs[skip/size:][:n:n]
}

// raw is the memory of a slice.
func raw[T value.Number](xs []T) []byte {
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(xs))), len(xs)*int(unsafe.Sizeof(zero)))
}
