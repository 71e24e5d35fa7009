//go:build !linux

package measure

import "errors"

func forget(string) error { return errors.New("files cannot be dropped from memory here") }

func canForget(string) bool { return false }
