package control

import (
	"reflect"
	"strings"
	"testing"

	"github.com/godwit-run/godwit/internal/cluster/catalog"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

var example = catalog.Set{
	ID: 7, Name: "flights", Rows: 3, By: "hash(day)",
	Columns: []catalog.Column{{Name: "day", Kind: num.U8, Stored: "uint8", Nullable: true}, {Name: "at", Kind: num.F64, Stored: "list", Dims: []int64{2}}},
	Shards:  []catalog.Shard{{Lo: 0, Hi: 3, Assigned: []catalog.Peer{2, 1}, Bytes: 9, Sum: [32]byte{1, 2}}},
}

// Records are read by people, with etcdctl, and by other versions of this program.
func TestRecordText(t *testing.T) {
	const want = `{"format":1,"name":"flights","rows":3,"by":"hash(day)",` +
		`"columns":[{"name":"day","kind":"u8","stored":"uint8","nullable":true},{"name":"at","kind":"f64","stored":"list","dims":[2]}],` +
		`"shards":[{"lo":0,"hi":3,"bytes":9,"sum":"0102000000000000000000000000000000000000000000000000000000000000","replicas":[2,1]}]}`
	if got := string(encodeSet(&example)); got != want {
		t.Errorf("the record is\n%s, expected\n%s", got, want)
	}
}

func TestBadRecords(t *testing.T) {
	good := string(encodeSet(&example))
	for _, tt := range []struct{ name, old, new, reason string }{
		{"newer", `"format":1`, `"format":2`, "format 2"},
		{"no format", `"format":1,`, ``, "format 0"},
		{"kind", `"u8"`, `"u9"`, "unknown kind"},
		{"sum", `"0102`, `"02`, "64 hexadecimal digits"},
		{"rows", `"rows":3`, `"rows":4`, "its shards have 3"},
		{"more", `]}]}`, `]}]}{}`, "follows"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bad := strings.Replace(good, tt.old, tt.new, 1)
			if _, err := decodeSet(numbered(setPrefix, 7), []byte(bad)); err == nil || !strings.Contains(err.Error(), tt.reason) {
				t.Errorf("expected an error with %q, found %v", tt.reason, err)
			}
		})
	}
}

// Columns of which nothing is known, and with fields that CSV left empty, stay such; earlier records have neither.
func TestRecordOfBlanks(t *testing.T) {
	s := example
	s.Texts = 9
	s.Columns = []catalog.Column{{Name: "k", Kind: num.U8, Stored: "text", Nullable: true, Means: meaning.Meaning{Sort: meaning.Text}, Blank: true},
		{Name: "none", Kind: num.I8, Stored: "no values", Nullable: true, Unknown: true, Blank: true}}
	text := string(encodeSet(&s))
	again, err := decodeSet(numbered(setPrefix, 7), []byte(text))
	if err != nil || !reflect.DeepEqual(again.Columns, s.Columns) {
		t.Errorf("%+v, %v", again.Columns, err)
	}
	old, err := decodeSet(numbered(setPrefix, 7), []byte(strings.NewReplacer(`,"unknown":true`, "", `,"blank":true`, "").Replace(text)))
	if err != nil || old.Columns[0].Blank || old.Columns[1].Unknown || old.Columns[1].Blank || old.Columns[0].Type() != "Option<Str>" {
		t.Errorf("%+v, %v", old.Columns, err)
	}
	s.Columns[0].Means = meaning.Meaning{}
	if err := CheckTable(&s); err == nil || !strings.Contains(err.Error(), "CSV left empty") {
		t.Errorf("blank numbers were taken: %v", err)
	}
}

func FuzzDecodeSet(f *testing.F) {
	f.Add(encodeSet(&example))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, b []byte) {
		key := numbered(setPrefix, 7)
		s, err := decodeSet(key, b)
		if err != nil {
			return
		}
		if again, err := decodeSet(key, encodeSet(&s)); err != nil || !reflect.DeepEqual(again.Shards, s.Shards) || again.Name != s.Name {
			t.Errorf("%+v became %+v, %v", s, again, err)
		}
	})
}
