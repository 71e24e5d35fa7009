package elaborate

import (
	"strings"
	"testing"
)

// TestTakenSize: a record that has the name of sizes is named once, however many functions have such a size, and nothing follows from it.
func TestTakenSize(t *testing.T) {
	const functions = `
fn a(x: &[Row; N], y: &[Row; M]) -> i64 { N + M }
fn b(x: &[Row; N], y: &[f64; N, M]) -> [f64; M] { y.sum() }
fn c(x: &[M; N], i: idx<M>) -> i64 { x.len() }
fn d<M: Size>(x: &[Row; M]) -> i64 { M }
fn e(x: &[M; N]) -> i64 { a([Row { k: 1 }], [Row { k: 2 }]) }
`
	_, msgs := checkText("f.gw", "record M { a: i64 }\nrecord Row { k: i64 }"+functions)
	if len(msgs.Messages) != 1 || msgs.Messages[0].Code != "T27" || !strings.Contains(msgs.Messages[0].Help, "rename the record") {
		t.Error(msgs.Err())
	}
	renamed := strings.ReplaceAll("record Ms { a: i64 }\nrecord Row { k: i64 }"+functions, "&[M; N]", "&[Ms; N]")
	if _, msgs := checkText("f.gw", strings.ReplaceAll(renamed, "i: idx<M>", "i: idx<N>")); msgs.Failed() {
		t.Error(msgs.Err())
	}
}
