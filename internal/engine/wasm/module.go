package wasm

import "encoding/binary"

// Section numbers of the binary format.
const (
	secType   = 1
	secImport = 2
	secFunc   = 3
	secMemory = 5
	secExport = 7
	secCode   = 10
)

const (
	envName   = "env"
	memName   = "memory"
	yieldName = "yield"
	runName   = "run"
	hostName  = "godwit"
)

// The functions of a kernel's module: the imported one comes first.
const yieldFunc = 0

var header = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}

func section(b []byte, id byte, body []byte) []byte {
	b = append(b, id)
	return appendBytes(b, body)
}

func appendBytes(b, s []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

func appendName(b []byte, s string) []byte { return appendBytes(b, []byte(s)) }

// limits describes a memory that has exactly this many pages.
func limits(b []byte, pages uint32) []byte {
	b = append(b, 1) // a maximum is given
	b = binary.AppendUvarint(b, uint64(pages))
	return binary.AppendUvarint(b, uint64(pages))
}

// envModule exports a memory of the given size.
func envModule(pages uint32) []byte {
	b := append([]byte(nil), header...)
	b = section(b, secMemory, limits([]byte{1}, pages))
	exp := appendName([]byte{1}, memName)
	return section(b, secExport, append(exp, 2, 0)) // memory 0
}

// kernelModule wraps the body of run(args i32, lo i64, hi i64), which may
// call yield() i32 and, with fma64, fma(a, b, c f64) f64.
func kernelModule(c *code, pages uint32, fma64 bool) []byte {
	b := make([]byte, 0, len(c.buf)+256)
	b = append(b, header...)
	if fma64 {
		return fusedModule(b, c, pages)
	}
	b = section(b, secType, []byte{2,
		0x60, 0, 1, byte(tI32),
		0x60, 3, byte(tI32), byte(tI64), byte(tI64), 0})
	imp := appendName([]byte{2}, hostName)
	imp = append(appendName(imp, yieldName), 0, 0) // function of type 0
	imp = appendName(appendName(imp, envName), memName)
	b = section(b, secImport, limits(append(imp, 2), pages))
	b = section(b, secFunc, []byte{1, 1})
	b = section(b, secExport, append(appendName([]byte{1}, runName), 0, 1))
	return section(b, secCode, appendBytes([]byte{1}, body(c)))
}

// fusedModule is a kernelModule with the functions of fma.go: imported are
// yield and the host's fma, its own are run and fma.
func fusedModule(b []byte, c *code, pages uint32) []byte {
	b = section(b, secType, []byte{3,
		0x60, 0, 1, byte(tI32),
		0x60, 3, byte(tI32), byte(tI64), byte(tI64), 0,
		0x60, 3, byte(tF64), byte(tF64), byte(tF64), 1, byte(tF64)})
	imp := appendName([]byte{3}, hostName)
	imp = append(appendName(imp, yieldName), 0, 0)
	imp = appendName(appendName(imp, hostName), fmaName)
	imp = append(imp, 0, 2) // function of type 2
	imp = appendName(appendName(imp, envName), memName)
	b = section(b, secImport, limits(append(imp, 2), pages))
	b = section(b, secFunc, []byte{2, 1, 2})
	b = section(b, secExport, append(appendName([]byte{1}, runName), 0, fmaFunc-1))
	return section(b, secCode, appendBytes(appendBytes([]byte{2}, body(c)), body(fmaBody())))
}

// params is the number of parameters of run, and of fma.
const params = 3

// body puts the declarations of the locals in front of the code.
func body(c *code) []byte {
	var groups []byte
	n := uint64(0)
	for i := params; i < len(c.types); {
		j := i
		for j < len(c.types) && c.types[j] == c.types[i] {
			j++
		}
		groups = binary.AppendUvarint(groups, uint64(j-i))
		groups = append(groups, byte(c.types[i]))
		n, i = n+1, j
	}
	b := binary.AppendUvarint(make([]byte, 0, len(groups)+len(c.buf)+8), n)
	b = append(b, groups...)
	return append(b, c.buf...)
}
