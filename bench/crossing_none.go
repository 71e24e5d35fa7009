//go:build !cgo

package main

// hasC reports that C can be called.
const hasC = false

// addInC is not there.
func addInC([]float64) float64 { panic("built without cgo") }
