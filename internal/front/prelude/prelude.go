// Package prelude holds those functions of the language that are written in it: the
// elementary functions, the calendar, and the search for equal keys.
//
// In: a name. Out: the tree of the item of that name. An item is parsed when it is first
// asked for, and kept for the life of the process; who gets it must not change it. A function
// begins in the first column and goes to the next empty line, a constant has one line.
package prelude

import (
	"embed"
	"fmt"
	"strings"
	"sync"

	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
)

//go:embed *.gw
var files embed.FS

// Item is a function or constant, with the text that its spans are in.
type Item struct {
	Tree   syntax.Item
	Source *diag.Source
}

// text is that of all files.
var text = sync.OnceValue(func() string {
	list, err := files.ReadDir(".")
	var all strings.Builder
	for _, f := range list {
		part, bad := files.ReadFile(f.Name())
		if bad != nil {
			err = bad
		}
		all.WriteString("\n")
		all.Write(part)
	}
	if err != nil { // no file can be missing
		panic(err)
	}
	return all.String()
})

var kept sync.Map // of names to *Item, nil where there is none

// Lookup gives an item, nil if there is none of that name.
func Lookup(name string) *Item {
	if i, ok := kept.Load(name); ok {
		return i.(*Item)
	}
	i, _ := kept.LoadOrStore(name, parse(name))
	return i.(*Item)
}

func parse(name string) *Item {
	src := diag.NewSource("prelude", textOf(name))
	if src.Text == "" {
		return nil
	}
	msgs := new(diag.List)
	f := syntax.Parse(src, msgs)
	if err := msgs.Err(); err != nil || len(f.Items) != 1 {
		panic(fmt.Sprintf("the prelude's `%s`: %v", name, err))
	}
	return &Item{f.Items[0], src}
}

// textOf finds where an item begins and ends.
func textOf(name string) string {
	for _, mark := range [][3]string{{"\nfn ", "(", "\n\n"}, {"\nfn ", "<", "\n\n"}, {"\nconst ", ":", "\n"}} {
		if _, rest, ok := strings.Cut(text(), mark[0]+name+mark[1]); ok {
			rest, _, _ = strings.Cut(rest, mark[2])
			return mark[0][1:] + name + mark[1] + rest + "\n"
		}
	}
	return ""
}
