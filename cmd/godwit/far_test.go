package main

import "testing"

// TestParseBytes: numbers of bytes with and without a unit, and what is none.
func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"8GiB": 8 << 30, "1.5KiB": 1536, "500MB": 500e6, "2 TiB": 2 << 40, "17": 17, "17B": 17, "1kB": 1000, "0": 0,
		"": -1, "GiB": -1, "8XB": -1, "-1MB": -1, "NaN": -1, "1e30TB": -1, "8 GiB of memory": -1, "inf": -1,
	} {
		got, ok := parseBytes(text)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %d, %v, expected %d", text, got, ok, want)
		}
	}
}
