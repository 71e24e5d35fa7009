//go:build static || !linux || !(amd64 || arm64)

package llvm

const built = false

// Library is a loaded libLLVM.
type Library struct{ Path, Version string }

// Load always fails here.
func Load() (*Library, error) { return nil, Off() }

// Arches is none here.
func (*Library) Arches() []string { return nil }

// Host cannot be called, because Load fails.
func (*Library) Host() Target { return Target{} }

// Machine cannot be called, because Load fails.
func (*Library) Machine(Target, Level) (*Machine, error) { return nil, Off() }

// Machine generates code for one target.
type Machine struct{}

// Compile cannot be called, because there are no machines.
func (*Machine) Compile([]byte, Options) ([]byte, error) { return nil, Off() }

// Close does nothing.
func (*Machine) Close() {}
