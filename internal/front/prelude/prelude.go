// Package prelude holds those functions of the language that are written in it: the
// elementary functions.
//
// In: a name. Out: the tree of the item of that name. An item is parsed when it is first
// asked for, and kept for the life of the process; who gets it must not change it. An item
// begins with `fn` or `const` in the first column, and ends before the next line that has
// such a word or a comment there.
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

// texts finds where each item stands.
var texts = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	list, err := files.ReadDir(".")
	if err != nil {
		panic(err)
	}
	for _, f := range list {
		text, err := files.ReadFile(f.Name())
		if err != nil {
			panic(err)
		}
		cut(string(text), all)
	}
	return all
})

// cut enters the items of a file.
func cut(text string, all map[string]string) {
	name, start, at := "", 0, 0
	for line := range strings.Lines(text + "//\n") {
		word, rest, _ := strings.Cut(line, " ")
		isItem := word == "fn" || word == "const"
		if isItem || strings.HasPrefix(word, "//") {
			if name != "" {
				all[name] = text[start:at]
			}
			name, start = "", at
		}
		if isItem {
			name = rest[:strings.IndexAny(rest, "<(:")]
		}
		at += len(line)
	}
}

var parsed sync.Map // of names to *Item

// Lookup gives an item, nil if there is none of that name.
func Lookup(name string) *Item {
	if i, ok := parsed.Load(name); ok {
		return i.(*Item)
	}
	text, ok := texts()[name]
	if !ok {
		return nil
	}
	src, msgs := diag.NewSource("prelude", text), new(diag.List)
	f := syntax.Parse(src, msgs)
	if err := msgs.Err(); err != nil || len(f.Items) != 1 {
		panic(fmt.Sprintf("the prelude's `%s`: %v", name, err))
	}
	i, _ := parsed.LoadOrStore(name, &Item{f.Items[0], src})
	return i.(*Item)
}
