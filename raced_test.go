//go:build race

package godwit_test

func init() { raced = true }
