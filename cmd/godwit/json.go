package main

import (
	"encoding/json"
	"io"
)

// printJSON writes v on lines of its own; text stays as it is, < and > too.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
