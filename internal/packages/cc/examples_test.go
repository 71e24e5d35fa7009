package cc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// nodes builds the program that plays nodes for the examples.
func nodes(t *testing.T) string {
	clang := needClang(t)
	bin := filepath.Join(t.TempDir(), "nodes")
	build := exec.Command(clang, "-g", "-O1", "-fsanitize=undefined", "-fsanitize-trap=undefined", "-Wall", "-Wextra", "-Werror", "-I", "../pack", "-o", bin,
		"testdata/nodes.c", "../../../examples/counter/counter.c", "../../../examples/chaser/chaser.c", "../../../examples/dispatch/dispatch.c")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// arrival follows the table of testdata/nodes.c from the node of part 0, and says what
// the chaser prints: it moves at each change of owner.
func arrival(at, steps int) string {
	number, part, runs := []int{1, 3, 4, 9}, 0, 1
	for ; steps > 0; steps-- {
		if at/8 != part {
			runs++
			part = at / 8
		}
		at = (at*5 + 3) % 32
	}
	return fmt.Sprintf("chaser replies %d in 8 bytes from %d\n%d runs%s", at, number[part], runs, idle)
}

const idle = ", counters 0 0 0 0\n"

func TestExamples(t *testing.T) {
	bin := nodes(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"counter", "3", "number", "5"}, "counter replies 5 in 8 bytes from 3\n1 runs, counters 0 5 0 0\n"},
		{[]string{"dispatch", "4", "number", "7"}, "dispatch replies 4 in 8 bytes from 4\n" +
			"counter replies 7 in 8 bytes from 1\ncounter replies 7 in 8 bytes from 3\ncounter replies 7 in 8 bytes from 4\ncounter replies 7 in 8 bytes from 9\n" +
			"5 runs, counters 7 7 7 7\n"},
		{[]string{"chaser", "1", "text", "5 100 8"}, arrival(5, 100)},
		{[]string{"chaser", "1", "text", "31 3 8 1 3 4 9"}, arrival(31, 3)},
		{[]string{"chaser", "9", "text", "5 0 8"}, "chaser replies 5 in 8 bytes from 9\n1 runs" + idle},
		{[]string{"chaser", "9", "text", "99 1 8"}, "log chaser: the table holds an index beyond its end\n1 runs" + idle},
		{[]string{"chaser", "9", "text", "18446744073709551615 1 8"}, "log chaser: the table holds an index beyond its end\n1 runs" + idle},
		{[]string{"chaser", "9", "text", "0 1 8 1 3"}, "log chaser: this node owns no part, or its region \"table\" is missing or too short\n1 runs" + idle},
		{[]string{"chaser", "9", "text", "0 1 9"}, "log chaser: this node owns no part, or its region \"table\" is missing or too short\n1 runs" + idle},
		{[]string{"chaser", "9", "text", "0 1 8 7 9"}, "log chaser: the owner of the next index cannot be reached\n1 runs" + idle},
		{[]string{"chaser", "9", "number", "5"}, "log chaser: the payload is none\n1 runs" + idle},
		{[]string{"chaser", "1", "text", ""}, "refused with 1\n"},
		{[]string{"chaser", "1", "text", "1 2"}, "refused with 1\n"},
		{[]string{"chaser", "1", "text", "1 2 3 x"}, "refused with 1\n"},
		{[]string{"chaser", "1", "text", "1 2 18446744073709551616"}, "refused with 1\n"},
		{[]string{"chaser", "1", "text", "1 2 0"}, "refused with 2\n"},
		{[]string{"chaser", "1", "text", "1 2 3 4294967296"}, "refused with 3\n"},
	} {
		out, err := exec.Command(bin, c.args...).CombinedOutput()
		if err != nil || string(out) != c.want {
			t.Errorf("%q: %v\n%swant\n%s", c.args, err, out, c.want)
		}
	}
	broken := exec.Command(bin, "chaser", "1", "text", "8 5 8")
	broken.Env = append(os.Environ(), "BROKEN=1")
	if out, err := broken.CombinedOutput(); err != nil || string(out) != "log chaser: the table holds an index beyond its end\n2 runs"+idle {
		t.Errorf("a table with a wrong index: %v\n%s", err, out)
	}
}
