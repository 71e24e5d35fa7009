package site

import (
	"os"
	"strings"
)

// DefaultDir is the directory of the cluster where none is named.
func DefaultDir() string {
	if dir := os.Getenv("GODWIT_CLUSTER"); dir != "" {
		return dir
	}
	return ".godwit"
}

// Command is a command line for the cluster in dir that works when it is pasted: words are what comes
// after `godwit`.
func Command(words, dir string) string {
	if dir != DefaultDir() {
		words += " --cluster " + Quoted(dir)
	}
	return "godwit " + words
}

// Quoted is a word as a shell takes it.
func Quoted(word string) string {
	if word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
