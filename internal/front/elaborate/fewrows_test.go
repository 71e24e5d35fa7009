package elaborate

import (
	"strings"
	"testing"
)

// TestFewRows: what a help says of groups in a closure names the Range or the rows that make them few enough, and passes the checks.
func TestFewRows(t *testing.T) {
	for _, c := range []struct{ text, help, clause string }{
		{"fn f(e: &[i64; N], k: &[i64; N]) -> [i64; 7] { (0..7).map(|i| e.zip(k).filter(|(a, _)| a == i).group_by(|(_, k)| k).count().len()) }", "where N: Range<0, 65_536>", ""},
		{"fn f(e: &[i64; N]) -> [i64; 7] where N: Range<3, 100_000> { (0..7).map(|i| e.group_by(|k| k + i).count().len()) }", "where N: Range<3, 65_536>", "where N: Range<3, 100_000>"},
		{"fn f(e: &[i64; 2 * N + 10]) -> [i64; 7] { (0..7).map(|i| e.group_by(|k| k + i).count().len()) }", "where N: Range<0, 32_763>", ""},
		{"fn f(e: &[i64; N]) -> [i64; 7] { (0..7).map(|i| e.filter(|x| x > i).sort().group_by(|k| k).agg(|g| g.count_distinct()).len()) }", "where N: Range<0, 65_536>", ""},
		{"fn f() -> [i64; 7] { (0..7).map(|i| (0..100_000).map(|j| j % 3 + i).group_by(|k| k).count().len()) }", "take(65536)", ".group_by("},
	} {
		_, msgs := checkText("f.gw", c.text)
		if len(msgs.Messages) != 1 || msgs.Messages[0].Code != "T07" || !strings.HasSuffix(msgs.Messages[0].Help, c.help) {
			t.Errorf("%s\ngot  %v\nwant %s", c.text, msgs.Err(), c.help)
			continue
		}
		var mended string
		switch {
		case c.clause == "":
			mended = strings.Replace(c.text, "{", c.help+" {", 1)
		case c.clause == ".group_by(":
			mended = strings.Replace(c.text, c.clause, "."+c.help+c.clause, 1)
		default:
			mended = strings.Replace(c.text, c.clause, c.help, 1)
		}
		if _, msgs := checkText("f.gw", mended); msgs.Failed() {
			t.Errorf("the help does not help: %s\n%v", mended, msgs.Err())
		}
	}
}
