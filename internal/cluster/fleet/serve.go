package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// What a fleet answers at its folder's socket, in JSON: the state, and orders. An
// order is answered when it is done.
//
//	GET  /state
//	POST /down
//	POST /nodes/NAME/restart
//	POST /nodes/NAME/add
//	POST /nodes/NAME/remove
//
// An error has the status 400 and is a failure in JSON.

// failure is an error on its way to a client.
type failure struct {
	Error string `json:"error"`
	Help  string `json:"help,omitempty"`
}

// serve answers until end is called. The socket is there before any node is, so
// that a fleet can be ended while it starts.
func (f *Fleet) serve() (end func(), err error) {
	l, err := listen(f.site.Dir)
	if err != nil {
		return nil, err
	}
	s := &http.Server{Handler: f.handler(), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = s.Serve(l) }() // ends with Close
	return func() {
		_ = os.Remove(filepath.Join(f.site.Dir, socketFile))
		ctx, cancel := context.WithTimeout(context.Background(), time.Second) // for answers under way
		defer cancel()
		_ = s.Shutdown(ctx)
		_ = s.Close()
	}, nil
}

func (f *Fleet) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) {
		s := f.state()
		s.Pid = os.Getpid()
		reply(w, s, nil)
	})
	mux.HandleFunc("POST /down", func(w http.ResponseWriter, _ *http.Request) {
		f.say(Event{Event: "said", Text: "godwit down ends the nodes"})
		f.cancel(errAsked)
		reply(w, struct{}{}, nil)
	})
	mux.HandleFunc("POST /nodes/{name}/restart", func(w http.ResponseWriter, r *http.Request) {
		done, err := f.restart(r.Context(), r.PathValue("name"))
		reply(w, done, err)
	})
	mux.HandleFunc("POST /nodes/{name}/add", func(w http.ResponseWriter, r *http.Request) {
		done, err := f.add(r.Context(), r.PathValue("name"))
		reply(w, done, err)
	})
	mux.HandleFunc("POST /nodes/{name}/remove", func(w http.ResponseWriter, r *http.Request) {
		reply(w, struct{}{}, f.remove(r.Context(), r.PathValue("name")))
	})
	return mux
}

func reply(w http.ResponseWriter, v any, err error) {
	w.Header().Set("Content-Type", "application/json")
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		n := failure{Error: err.Error()}
		if e := (*Error)(nil); errors.As(err, &e) {
			n.Help = e.Help
		}
		v = n
	}
	_ = json.NewEncoder(w).Encode(v) // who asked may be gone
}
