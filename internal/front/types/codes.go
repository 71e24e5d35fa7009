package types

import "slices"

// Code documents one kind of message about a program that parses. Bad is a
// program that gets it, and nothing else; Good is the same program mended.
type Code struct{ ID, Title, Explain, Bad, Good string }

// Codes lists every message code of checking, by family: names (N), types,
// sizes and termination (T), bounds (B), closures and variables (O), numbers
// (F), places (P).
var Codes = slices.Concat(nameCodes, typeCodes, sizeCodes, boundCodes, closureCodes, numberCodes, placeCodes)

// CodeOf finds a code's entry.
func CodeOf(id string) (Code, bool) {
	i := slices.IndexFunc(Codes, func(c Code) bool { return c.ID == id })
	if i < 0 {
		return Code{}, false
	}
	return Codes[i], true
}

var nameCodes = []Code{
	{"N01", "a name is not declared",
		"A value is a variable, a size or a constant that can be seen from where it is used.",
		"fn f(total: f32) -> f32 { totla * 2.0 }",
		"fn f(total: f32) -> f32 { total * 2.0 }"},
	{"N02", "a function is not declared",
		"Functions are looked up in the module of the call and in those around it. Operations on arrays are called as methods.",
		"fn f(v: &[f32]) -> f32 { sum(v) }",
		"fn f(v: &[f32]) -> f32 { v.sum() }"},
	{"N03", "a type is not declared",
		"Types are the scalars, idx, Option, tuples, arrays and declared records.",
		"fn f(n: int) -> i64 { n }",
		"fn f(n: i64) -> i64 { n }"},
	{"N04", "a name is declared twice",
		"In one module, one function's head or one record, a name means one thing. Variables may shadow one another.",
		"fn f(x: f32) -> f32 { x }\nfn f(x: f64) -> f64 { x }",
		"fn f(x: f32) -> f32 { x }\nfn f64_f(x: f64) -> f64 { x }"},
	{"N05", "an item is private to its module",
		"What is not marked `pub` can be used only inside of its module.",
		"mod geo { fn area(w: f32, h: f32) -> f32 { w * h } }\nfn f(w: f32) -> f32 { geo::area(w, w) }",
		"mod geo { pub fn area(w: f32, h: f32) -> f32 { w * h } }\nfn f(w: f32) -> f32 { geo::area(w, w) }"},
	{"N06", "a value has no such operation",
		"The operations on each kind of value are listed in the language reference.",
		"fn f(v: &[f32]) -> f32 { v.map(|e| e * e).smu() }",
		"fn f(v: &[f32]) -> f32 { v.map(|e| e * e).sum() }"},
	{"N07", "a record or tuple has no such field",
		"Fields of a record have names, those of a tuple numbers.",
		"record Point { x: f32, y: f32 }\nfn f(p: Point) -> f32 { p.x + p.z }",
		"record Point { x: f32, y: f32 }\nfn f(p: Point) -> f32 { p.x + p.y }"},
	{"N08", "a `use` names nothing",
		"The path of a `use` starts in its own module or in one around it.",
		"mod geo { pub fn half(x: f32) -> f32 { x / 2.0 } }\nuse geo::hlaf;\nfn f(x: f32) -> f32 { x }",
		"mod geo { pub fn half(x: f32) -> f32 { x / 2.0 } }\nuse geo::half;\nfn f(x: f32) -> f32 { half(x) }"},
	{"N09", "a name means something of another kind",
		"A function is called, a record is a type, a module holds items.",
		"fn one() -> f32 { 1.0 }\nfn f(x: f32) -> f32 { x + one }",
		"fn one() -> f32 { 1.0 }\nfn f(x: f32) -> f32 { x + one() }"},
	{"N10", "a size is not declared",
		"A size is declared where it first appears in a parameter's type, or as a generic `K: Size`.",
		"fn f(v: &[f32; N]) -> [f32; M] { v.map(|e| e) }",
		"fn f(v: &[f32; N]) -> [f32; N] { v.map(|e| e) }"},
	{"N11", "a name belongs to the language",
		"Built-in types and functions cannot be declared again.",
		"fn concat(a: f32) -> f32 { a }",
		"fn concat_(a: f32) -> f32 { a }"},
	{"N12", "a generic has no such kind",
		"A generic stands for a size (Size), a type (Num, Int, Float, Ord, Any) or a place (Place).",
		"fn f<T: Number>(x: T) -> T { x }",
		"fn f<T: Num>(x: T) -> T { x }"},
}

var closureCodes = []Code{
	{"O01", "a closure stands where no operation takes it",
		"Closures are only arguments of array operations; they are never stored or returned.",
		"fn f(x: f32) -> f32 { let g = |e| e * 2.0; x }",
		"fn g(e: f32) -> f32 { e * 2.0 }\nfn f(x: f32) -> f32 { g(x) }"},
	{"O02", "a closure has the wrong number of parameters",
		"map, filter and the like give a closure one element, which may be taken apart as |(a, b)|; fold gives it two values.",
		"fn f(v: &[f32; N], w: &[f32; N]) -> f32 { v.zip(w).map(|a, b| a * b).sum() }",
		"fn f(v: &[f32; N], w: &[f32; N]) -> f32 { v.zip(w).map(|(a, b)| a * b).sum() }"},
	{"O03", "what is not `let mut` is assigned to",
		"Only variables declared with `let mut` change.",
		"fn f(v: &[f64]) -> f64 { let s = 0.0; for e in v { s = s + e; } s }",
		"fn f(v: &[f64]) -> f64 { let mut s = 0.0; for e in v { s = s + e; } s }"},
	{"O04", "a closure assigns to a variable outside of it",
		"The elements of an array may be worked on in any order, so that a closure cannot change anything around it.",
		"fn f(v: &[f64]) -> f64 { let mut s = 0.0; let w = v.map(|e| { s = s + e; e }); s + w.sum() }",
		"fn f(v: &[f64]) -> f64 { let s = v.fold(0.0, |s, e| s + e); s + v.sum() }"},
	{"O05", "something that is no variable is assigned to",
		"A variable is assigned to, or an element or field of one.",
		"fn f(v: &[f64; 8]) -> f64 { v.reverse()[0] = 1.0; v.sum() }",
		"fn f(v: &[f64; 8]) -> f64 { let mut x = v.reverse(); x[0] = 1.0; x.sum() }"},
	{"O06", "an operation needs a closure",
		"A function's name is no closure; call the function in one.",
		"fn g(e: f32) -> f32 { e * 2.0 }\nfn f(v: &[f32; N]) -> [f32; N] { v.map(g) }",
		"fn g(e: f32) -> f32 { e * 2.0 }\nfn f(v: &[f32; N]) -> [f32; N] { v.map(|e| g(e)) }"},
}

var numberCodes = []Code{
	{"F01", "a literal does not fit its type",
		"A literal takes the type that its context wants, and must be one of its values.",
		"fn f(x: u8) -> u8 { x.min(300) }",
		"fn f(x: u8) -> u8 { x.min(200) }"},
	{"F02", "an integer literal stands for a float, or the other way round",
		"An integer literal is never a float: write the point.",
		"fn f(x: f32) -> f32 { x * 2 }",
		"fn f(x: f32) -> f32 { x * 2.0 }"},
	{"F03", "an operator is not defined on these values",
		"Integers have all operators, floats + - * / and comparisons, bools & | ^ ! && || == !=.",
		"fn f(x: f64, y: f64) -> f64 { x % y }",
		"fn f(x: f64, y: f64) -> f64 { x - (x / y).floor() * y }"},
	{"F04", "the two sides of an operator have different types",
		"There are no implicit conversions between numbers: convert with `as`.",
		"fn f(x: f32, y: f64) -> f64 { x * y }",
		"fn f(x: f32, y: f64) -> f64 { x as f64 * y }"},
	{"F05", "an unsigned integer is negated",
		"Unsigned integers have no negative values.",
		"fn f(x: u32) -> i64 { (-x) as i64 }",
		"fn f(x: u32) -> i64 { -(x as i64) }"},
	{"F06", "a conversion is not defined",
		"`as` converts between numbers, and from bool to integers. An index comes from clamp_idx, wrap_idx or get.",
		"fn f(x: i32) -> bool { x as bool }",
		"fn f(x: i32) -> bool { x != 0 }"},
	{"F07", "a constant cannot be computed",
		"Constants are computed when the program is checked; a fault there is an error.",
		"const LIMIT: u8 = 200 + 100;\nfn f(x: u8) -> bool { x == LIMIT }",
		"const LIMIT: u8 = 200 + 55;\nfn f(x: u8) -> bool { x == LIMIT }"},
	{"F08", "arrays are compared",
		"Comparisons are defined on numbers and bools: compare the elements.",
		"fn f(a: &[i32; N], b: &[i32; N]) -> bool { a == b }",
		"fn f(a: &[i32; N], b: &[i32; N]) -> bool { a.zip(b).all(|(x, y)| x == y) }"},
	{"F09", "the power of powi is not a number from 0 to 64",
		"powi multiplies repeatedly, as often as the program says.",
		"fn f(x: f64) -> f64 { x.powi::<100>() }",
		"fn f(x: f64) -> f64 { x.powf(100.0) }"},
}

var placeCodes = []Code{
	{"P01", "a place does not exist",
		"The places are Disk, RAM, Far, GPU(k), Node(k) and Cluster.",
		"fn f(v: &[f32] @ Disc) -> f32 { v.sum() }",
		"fn f(v: &[f32] @ Disk) -> f32 { v.sum() }"},
	{"P02", "a place has the wrong arguments",
		"GPU and Node take a number; Cluster may take blocks, rows or hash, and a number of shards.",
		"fn f(v: &[f32] @ GPU) -> f32 { v.sum() }",
		"fn f(v: &[f32] @ GPU(0)) -> f32 { v.sum() }"},
	{"P03", "the number of a place is not a constant",
		"Where data lies is known before the program runs.",
		"fn f(v: &[f32] @ Node(0 - 1)) -> f32 { v.sum() }",
		"const HOME = 1;\nfn f(v: &[f32] @ Node(HOME)) -> f32 { v.sum() }"},
}
