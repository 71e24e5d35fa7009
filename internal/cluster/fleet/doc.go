// Package fleet keeps the nodes of one machine running: those of a cluster's folder, which
// `godwit up` starts. It starts a node again that ended unasked, finds other ports where
// one is taken, and takes orders through a socket in the folder: end, restart a node, add
// one, take one out.
//
// In comes a folder and the flags of nodes; out go processes, lines about what happens to
// them, and cluster.json, which always says where the nodes are. One fleet at most has a
// folder, and whatever it started ends with it, however it ends.
package fleet

import "github.com/godwit-run/godwit/internal/front/diag"

// Error is one for people, with what to do.
type Error struct {
	Text, Help string
	Err        error // may be nil
}

func (e *Error) Error() string { return e.Text }
func (e *Error) Unwrap() error { return e.Err }

// Message lays the error out.
func (e *Error) Message() *diag.Message { return &diag.Message{Text: e.Text, Help: e.Help} }

// Event is something that happened, in words.
type Event struct {
	Event string `json:"event"` // "ended", "given-up", "ready", "moved", "stopped", "said"
	Node  string `json:"node,omitempty"`
	Text  string `json:"text"`
}
