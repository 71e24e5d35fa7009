package control

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"go.uber.org/zap"
)

// That the servers of a member are closed when it ends is no error; that one fails otherwise is.
func TestEndingIsNoError(t *testing.T) {
	const message = "setting up serving from embedded etcd failed."
	for why, want := range map[string]bool{
		"http: Server closed": false, "mux: server closed": false, "grpc: the server has been stopped": false,
		"use of closed network connection": false, "address already in use": true,
	} {
		var out bytes.Buffer
		zap.New(slogCore{slog.New(slog.NewTextHandler(&out, nil)), nil}).Error(message, zap.Error(errors.New(why)))
		if got := strings.Contains(out.String(), "level=ERROR"); got != want {
			t.Errorf("%s: %q", why, out.String())
		}
	}
}
