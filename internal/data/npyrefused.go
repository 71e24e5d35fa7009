package data

import "strings"

// npyRefused says what a dtype is that no kind stands for, and a line of NumPy that saves its values so that they can be read. descr
// is as it is written, code without the order of bytes.
func npyRefused(descr, code string) (what, help string) {
	save := func(a string) string { return "np.save(path, " + a + ")" }
	switch {
	case strings.HasPrefix(descr, "["):
		return "a structured type", "save each field as an array of its own: " + save("a["+firstField(descr)+"]")
	case code == "f2":
		return "float16", "save it in 32 bits: " + save("a.astype(np.float32)")
	case strings.HasPrefix(code, "f"):
		return "extended precision", "save it in 64 bits: " + save("a.astype(np.float64)")
	case strings.HasPrefix(code, "c"):
		return "complex numbers", "save both parts, each as an array of its own: " + save("a.real") + " and " + save("a.imag")
	case strings.HasPrefix(code, "O"):
		return "Python objects", "if all are numbers, save them as such: " + save("a.astype(np.float64)") + "; text goes into a .csv, .parquet or .arrow file"
	case strings.HasPrefix(code, "U"), strings.HasPrefix(code, "S"), strings.HasPrefix(code, "T"):
		return "strings", "write them as Arrow, with import pyarrow.feather: pyarrow.feather.write_feather(pyarrow.table({'text': a.astype(str)}), 'a.arrow')"
	case strings.HasPrefix(code, "m8[") && strings.ContainsAny(code, "YM"):
		return "a number of months, which have no one length", "save the number: " + save("a.astype(np.int64)")
	case strings.HasPrefix(code, "M8"), strings.HasPrefix(code, "m8"):
		return "dates or times in a unit other than D, s, ms, us and ns", "save them in a unit that is known: " + save("a.astype('"+code[:2]+"["+knownUnit(code)+"]')")
	}
	return "not known", "save numbers or booleans, such as np.float64 or np.bool_"
}

// firstField is the name of the first field of a structured dtype, as Python writes it.
func firstField(descr string) string {
	rest := strings.TrimLeft(descr, "[( ")
	p := &npyParser{rest: rest}
	if p.quoted(); p.bad != "" {
		return "name"
	}
	return rest[:len(rest)-len(p.rest)]
}

// knownUnit is the unit into which NumPy converts a dtype of times: times finer than ns lose what is below.
func knownUnit(code string) string {
	unit := strings.TrimLeft(strings.Trim(code[2:], "[]"), "0123456789")
	switch unit {
	case "Y", "M", "W", "D":
		if code[0] == 'M' {
			return "D"
		}
	case "ms", "us", "ns":
		return unit
	case "ps", "fs", "as":
		return "ns"
	}
	return "s"
}
