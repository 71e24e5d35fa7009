package pack

import _ "embed"

// Header is godwit.h, which declares what a package may call.
//
//go:embed godwit.h
var Header []byte

// Functions are those that godwit.h declares. Whoever runs a package provides them.
var Functions = []string{
	"gw_node", "gw_nodes", "gw_region", "gw_function",
	"gw_self_forward", "gw_send", "gw_reply", "gw_log",
}

// Memory are the functions of the C library that compilers call by themselves. They
// are provided too.
var Memory = []string{"memcpy", "memmove", "memset", "memcmp"}

// Symbols of a package X are its name with these endings.
const (
	MainSuffix  = "_main"
	BoundSuffix = "_payload_bound"
	InitSuffix  = "_payload_init"
)
