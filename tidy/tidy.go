// Package tidy holds the house rules as tests: which package may import
// which, how long a file may be, and who may print.
package tidy
