package cc

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Object compiles the text of a section of the form source to a relocatable object.
// The error wraps ErrMissing where there is no clang, and is an *Error with what
// clang said where the text is refused.
func Object(ctx context.Context, text []byte, t Target) ([]byte, error) {
	clang, err := find()
	if err != nil {
		return nil, err
	}
	object, _, err := run(ctx, text, clang, sourceFlags(t)...)
	var r *refusal
	if errors.As(err, &r) {
		return nil, &Error{Text: fmt.Sprintf("the package's C text cannot be compiled for %s:\n%s", t, r.text)}
	}
	return object, err
}

// sourceFlags take text that went through the preprocessor. It is compiled with -O2,
// whatever flags the sender gave.
func sourceFlags(t Target) []string {
	headers, _ := t.headers()
	return slices.Concat(t.flags(), headers, []string{"-w", "-Qunused-arguments", "-c", "-x", "cpp-output", "-o", "-", "-"})
}
