package generate

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/godwit-run/godwit/internal/data"
	"github.com/godwit-run/godwit/internal/ir/num"
)

func TestFlights(t *testing.T) {
	const rows = flightsGroup + 1000
	path := filepath.Join(t.TempDir(), "flights.parquet")
	if err := Flights(t.Context(), path, rows, 7); err != nil {
		t.Fatal(err)
	}
	src, err := data.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if src.Rows() != rows || len(src.Chunks()) != 2 {
		t.Fatalf("%d rows in %d chunks", src.Rows(), len(src.Chunks()))
	}
	for i, name := range []string{"delay", "distance"} {
		if c := src.Columns()[i]; c.Name != name || c.Kind != num.I64 || !c.Nullable {
			t.Errorf("column %d is %+v", i, c)
		}
	}
	n := int(src.Chunks()[1].Rows())
	values := make([]byte, 2*n)
	if _, err := src.Fill(context.Background(), 1, []data.Want{{Column: 0, Kind: num.I16}}, []data.Dest{{Values: values}}); err != nil {
		t.Fatal(err)
	}
	late := 0
	for i := range n {
		if int16(binary.LittleEndian.Uint16(values[2*i:])) > 15 {
			late++
		}
	}
	if late < n/10 || late > n/3 {
		t.Errorf("%d of %d flights are late", late, n)
	}
}

func TestFlightsAreSeeded(t *testing.T) {
	dir := t.TempDir()
	files := map[uint64][2][]byte{}
	for _, seed := range []uint64{1, 2} {
		var same [2][]byte
		for i := range same {
			path := filepath.Join(dir, "f.parquet")
			if err := Flights(t.Context(), path, 5000, seed); err != nil {
				t.Fatal(err)
			}
			same[i], _ = os.ReadFile(path)
		}
		files[seed] = same
		if !bytes.Equal(same[0], same[1]) {
			t.Errorf("seed %d gives different files", seed)
		}
	}
	if bytes.Equal(files[1][0], files[2][0]) {
		t.Error("two seeds give the same file")
	}
}
