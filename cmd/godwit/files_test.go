package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// writeNPY is the script command
//
//	npy FILE DESCR SHAPE [fortran] VALUE...
//
// with a DESCR such as <f4 or >i8 and a SHAPE such as 3 or 2x2.
func writeNPY(ts *testscript.TestScript, _ bool, args []string) {
	path, descr, shape, values := ts.MkAbs(args[0]), args[1], args[2], args[3:]
	order := "False"
	if len(values) > 0 && values[0] == "fortran" {
		order, values = "True", values[1:]
	}
	dims := strings.ReplaceAll(shape, "x", ", ") + ","
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }", descr, order, dims)
	head += strings.Repeat(" ", 63-(len(head)+10)%64) + "\n"
	out := []byte("\x93NUMPY\x01\x00")
	out = binary.LittleEndian.AppendUint16(out, uint16(len(head)))
	out = append(out, head...)
	for _, v := range values {
		out = append(out, npyBytes(ts, descr, v)...)
	}
	ts.Check(os.WriteFile(path, out, 0o666))
}

func npyBytes(ts *testscript.TestScript, descr, v string) []byte {
	x, err := strconv.ParseFloat(v, 64)
	ts.Check(err)
	size := int(descr[2] - '0')
	bits := uint64(int64(x))
	if descr[1] == 'f' {
		bits = math.Float64bits(x)
		if size == 4 {
			bits = uint64(math.Float32bits(float32(x)))
		}
	}
	b := binary.LittleEndian.AppendUint64(nil, bits)[:size]
	if descr[0] == '>' {
		b = binary.BigEndian.AppendUint64(nil, bits)[8-size:]
	}
	return b
}

// writeTable is the script command
//
//	table FILE NAME:KIND=VALUE,VALUE,...  ...
//
// where a value may be null.
func writeTable(ts *testscript.TestScript, _ bool, args []string) {
	out := &data.Output{}
	for _, arg := range args[1:] {
		head, list, _ := strings.Cut(arg, "=")
		name, kind, _ := strings.Cut(head, ":")
		k, ok := num.ParseKind(kind)
		if !ok {
			ts.Fatalf("no kind %s", kind)
		}
		c := data.OutColumn{Name: name, Kind: k}
		for _, v := range strings.Split(list, ",") {
			appendValue(ts, &c, v)
		}
		out.Rows = int64(len(c.Values) / k.Size())
		out.Columns = append(out.Columns, c)
	}
	ts.Check(data.Write(ts.MkAbs(args[0]), out))
}

func appendValue(ts *testscript.TestScript, c *data.OutColumn, v string) {
	at := len(c.Values)
	c.Values = append(c.Values, make([]byte, c.Kind.Size())...)
	if v == "null" {
		c.Valid = append(c.Valid, 0)
		return
	}
	c.Valid = append(c.Valid, 1)
	x, err := strconv.ParseFloat(v, 64)
	ts.Check(err)
	bits := uint64(int64(x))
	if c.Kind.IsFloat() {
		bits = num.FromFloat(c.Kind, x)
	}
	column.Put(c.Kind, c.Values[at:], 0, bits)
}

// cut is the script command
//
//	cut FILE BYTES
//
// that takes bytes off the end of a file.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	st, err := os.Stat(path)
	ts.Check(err)
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(path, st.Size()-n))
}
