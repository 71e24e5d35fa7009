package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/control"
)

// An error that clients act on is the same on the other side, also where something was said around it.
func TestErrorsKeepTheirTypes(t *testing.T) {
	for _, err := range []error{
		&RefusedError{"no"}, &elsewhereError{"not here", 2 * time.Second}, &control.InvalidError{Reason: "wrong"}, &control.ExistsError{Name: "s", ID: 7},
		&control.MissingError{Name: "s"}, &control.UnknownError{Name: "n1"}, &control.OvertakenError{Name: "s"},
		&control.NotHeldError{Name: "s", Shard: 2, Peer: 3, Reason: "it is gone"},
	} {
		for _, sent := range []error{err, fmt.Errorf("around it: %w", err), errors.Join(err, errors.New("also"))} {
			f := &failure{}
			if err := json.Unmarshal(text(failureOf(sent)), f); err != nil {
				t.Fatal(err)
			}
			if got := f.err(); reflect.TypeOf(got) != reflect.TypeOf(err) || sent == err && !reflect.DeepEqual(got, err) {
				t.Errorf("%T %v became %T %v", sent, sent, got, got)
			}
		}
	}
}
