package parcel

import (
	"math"
	"strconv"
)

// Append adds the answer's bytes, a Result's payload, to dst.
func (a *Answer) Append(dst []byte) []byte {
	return appendBlobs(a.appendHead(dst), a.Columns)
}

// appendHead is Append without the columns.
func (a *Answer) appendHead(dst []byte) []byte {
	dst = appendUint(dst, uint64(a.Hops))
	dst = appendUint(dst, a.Steps)
	for _, t := range [...]uint32{a.Micros.Queue, a.Micros.Verify, a.Micros.Compile, a.Micros.Run} {
		dst = appendUint(dst, uint64(t))
	}
	dst = appendUint(dst, uint64(a.States))
	dst = appendFaults(dst, a.Faults)
	dst = appendUint(dst, uint64(len(a.Extents)))
	for _, e := range a.Extents {
		dst = e.append(dst)
	}
	return dst
}

// ReadAnswer reads a Result's payload. Columns alias b.
func ReadAnswer(b []byte) (*Answer, error) {
	into := new(Answer)
	if err := ReadAnswerInto(into, b); err != nil {
		return nil, err
	}
	return into, nil
}

// ReadAnswerInto is ReadAnswer with the slices of an earlier answer, whose
// contents are lost. After an error into holds nothing of use.
func ReadAnswerInto(into *Answer, b []byte) error {
	r := reader{b: b, part: "answer"}
	into.Hops = r.word("hops")
	into.Steps = r.uint(math.MaxUint64, "steps")
	into.Micros = Timing{r.word("queue time"), r.word("verify time"), r.word("compile time"), r.word("run time")}
	into.States = int(r.uint(MaxStates, "states"))
	into.Faults = r.faults(into.Faults[:0])
	into.Extents = into.Extents[:0]
	start := r.at
	for range r.count(MaxAnswer, 2, "extents") {
		into.Extents = append(into.Extents, r.extent())
	}
	into.Columns = r.blobs(into.Columns[:0], MaxAnswer, "columns")
	if e, c := len(into.Extents), len(into.Columns); r.err == nil && e != 0 && e != c {
		r.fail(start, "number of extents", "none or as many as columns, "+strconv.Itoa(c), strconv.Itoa(e))
	}
	return r.end()
}

func appendFaults(dst []byte, list []Fault) []byte {
	dst = appendUint(dst, uint64(len(list)))
	for _, f := range list {
		dst = appendUint(appendUint(dst, uint64(f.Site)), uint64(f.Place+1))
	}
	return dst
}

// faults are in ascending order of their sites.
func (r *reader) faults(list []Fault) []Fault {
	for i := range r.count(maxFaults, 2, "faults") {
		start := r.at
		f := Fault{Site: uint32(r.uint(maxFaults-1, "site"))}
		if i > 0 && f.Site <= list[i-1].Site {
			r.fail(start, "site", "more than "+number(uint64(list[i-1].Site))+", the one before", number(uint64(f.Site)))
		}
		f.Place = int64(r.uint(math.MaxInt64, "place")) - 1
		list = append(list, f)
	}
	return list
}
