package machine

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestMemoryApart: nodes of memory that have processors, or no memory, or say nothing that can be read, are none.
func TestMemoryApart(t *testing.T) {
	root := t.TempDir()
	for name, files := range map[string][2]string{
		"node0":  {"0-3\n", "Node 0 MemTotal:       16000000 kB\nNode 0 MemFree: 1 kB\n"},
		"node10": {"\n", "Node 10 MemTotal:       2048 kB\n"},
		"node2":  {"\n", "Node 2 MemUsed: 3 kB\nNode 2 MemTotal:       1024 kB\n"},
		"node3":  {"\n", "Node 3 MemTotal:       0 kB\n"},
		"node4":  {"\n", "rubbish\n"},
		"nodeX":  {"\n", "Node 5 MemTotal:       1024 kB\n"},
	} {
		dir := filepath.Join(root, "devices/system/node", name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for i, file := range []string{"cpulist", "meminfo"} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(files[i]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := MemoryApart(root), []Apart{{2, 1 << 20}, {10, 2 << 20}}; !slices.Equal(got, want) {
		t.Errorf("found %v, expected %v", got, want)
	}
	if got := MemoryApart(filepath.Join(root, "none")); got != nil {
		t.Errorf("found %v where there is nothing", got)
	}
}

// TestFarText: a description with a way to far memory is read as it was written, and a wrong one is an error that names it.
func TestFarText(t *testing.T) {
	m := *Default()
	if m.Far != nil || m.Way(true) != m.Link {
		t.Error("the default tells far memory from other nodes")
	}
	far := Link{RoundTrip: Exactly(1000), Byte: Exactly(0.5), Parcel: Exactly(100)}
	m.Far = &far
	text, err := m.Text()
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse(text)
	if err != nil || got.Far == nil || *got.Far != far || got.Way(true) != far || got.Way(false) != m.Link {
		t.Errorf("%v: %+v", err, got)
	}
	m.Far = &Link{RoundTrip: Exactly(1000), Byte: Exactly(-1), Parcel: Exactly(100)}
	if text, err = m.Text(); err != nil {
		t.Fatal(err)
	}
	if _, err := Parse(text); err == nil || err.Error()[:5] != "[far]" {
		t.Errorf("a time below 0: %v", err)
	}
}
