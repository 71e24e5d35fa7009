package parcel

import "strconv"

var kindNames = [kinds]string{
	BadKind: "bad", Run: "run", Walk: "walk", Fan: "fan", Read: "read", Put: "put", Seal: "seal", Drop: "drop",
	Status: "status", Result: "result", Fail: "fail", NeedCode: "need code", Code: "code", Cancel: "cancel", Send: "send", Copy: "copy",
}

// String is the kind's name for people.
func (k Kind) String() string {
	if k >= kinds {
		return "kind " + strconv.Itoa(int(k))
	}
	return kindNames[k]
}

// Valid reports whether there is such a kind; bytes from strangers may not
// name one.
func (k Kind) Valid() bool { return k > BadKind && k < kinds }

var reasonNames = [reasons]string{
	BadReason: "bad", Busy: "busy", Refused: "refused", NoCode: "kernel missing", NoShard: "shard missing",
	Unreachable: "unreachable", Expired: "deadline passed", HopsSpent: "hop budget spent", Cancelled: "cancelled",
	DataError: "data error", Internal: "internal error",
	Crashed: "package failed",
}

// String is the reason in words.
func (r Reason) String() string {
	if r >= reasons {
		return "reason " + strconv.Itoa(int(r))
	}
	return reasonNames[r]
}

// Valid reports whether there is such a reason.
func (r Reason) Valid() bool { return r > BadReason && r < reasons }

var howNames = [hows]string{Absent: "absent", Stored: "stored", Inline: "inline", Out: "out", InOut: "in and out"}

func (h How) String() string {
	if h >= hows {
		return "operand " + strconv.Itoa(int(h))
	}
	return howNames[h]
}

// String is the prefix as a kernel's hash begins, in hexadecimal.
func (p Prefix) String() string {
	const digits = "0123456789abcdef"
	var s [16]byte
	for i := range 8 {
		b := byte(p >> (8 * i))
		s[2*i], s[2*i+1] = digits[b>>4], digits[b&15]
	}
	return string(s[:])
}
