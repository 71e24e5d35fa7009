package data

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/godwit-run/godwit/internal/data/column"
	"github.com/godwit-run/godwit/internal/data/meaning"
	"github.com/godwit-run/godwit/internal/ir/num"
)

// In: the folders that files of a list lie in. Out: a column for each key of folders named key=value, which has the same value in
// all rows of a file. A file that has a column of this name itself is asked, and not its folder. The words are text, and
// integers, dates, times and decimals where a program declares them so.

// nullKey is how Hive and Spark name the folder of rows without a value.
const nullKey = "__HIVE_DEFAULT_PARTITION__"

type key struct {
	name, value string
	none        bool // its rows have no value
}

// keyWord is what a folder says of its rows.
type keyWord struct {
	text string
	n    int64 // what stands for it, if the column has a kind
	none bool  // rows of it have no value
}

// repeat gives rows their text.
func (w keyWord) repeat(p *partText, rows int64) {
	for range rows {
		if w.none {
			p.null()
		} else {
			p.add([]byte(w.text))
		}
	}
}

// keysOf reads the folders of a path.
func keysOf(path string) (keys []key) {
	dir := filepath.ToSlash(filepath.Dir(path))
	for _, part := range strings.Split(dir, "/") {
		name, value, ok := strings.Cut(part, "=")
		if !ok || name == "" {
			continue
		}
		keys = append(keys, key{unescapedKey(name), unescapedKey(value), value == nullKey})
	}
	return keys
}

func unescapedKey(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// escaped is a name or a value as it stands in the name of a folder: the signs that Hive escapes are.
func escaped(s string) string {
	var b []byte
	for _, c := range []byte(s) {
		if c < ' ' || c == 0x7f || strings.IndexByte("\"#%'*/:=?\\{[]^", c) >= 0 {
			b = fmt.Appendf(b, "%%%02X", c)
			continue
		}
		b = append(b, c)
	}
	return string(b)
}

// escapedName is escaped of a column's name: a folder that begins with a point is hidden.
func escapedName(s string) string {
	if rest, ok := strings.CutPrefix(s, "."); ok {
		return "%2E" + escaped(rest)
	}
	return escaped(s)
}

// escapedValue is escaped of a value, which may look like that of rows without one.
func escapedValue(s string) string {
	if s == nullKey {
		return fmt.Sprintf("%%%02X", s[0]) + s[1:]
	}
	return escaped(s)
}

// addKeys gives the list its columns of folders, in the forms that options ask for.
func (s *list) addKeys(paths []string, forms map[string]keyForm) error {
	first := keysOf(paths[0])
	all := make([][]key, len(paths))
	for i, p := range paths {
		all[i] = keysOf(p)
		for j := range max(len(first), len(all[i])) {
			if j >= len(first) || j >= len(all[i]) || first[j].name != all[i][j].name {
				e := fail(p, "its folders have the keys %s, those of %s have %s", keyNames(all[i]), paths[0], keyNames(first))
				e.Help = "read files with the same keys=values in the names of their folders together"
				return e
			}
		}
	}
	for j, k := range first {
		form, asked := forms[k.name]
		if slices.ContainsFunc(s.cols, func(c Column) bool { return c.Name == k.name }) {
			if asked {
				return fail(paths[0], "an option says what the column `%s` of its folders is, and the file has a column of this name, which counts", k.name)
			}
			continue
		}
		if err := s.addKey(all, j, k.name, form); err != nil {
			return err
		}
	}
	return nil
}

func keyNames(keys []key) string {
	if len(keys) == 0 {
		return "none"
	}
	var names []string
	for _, k := range keys {
		names = append(names, k.name)
	}
	return listed(names)
}

// checkKey implements checkWant for columns of folders.
func (s *list) checkKey(w Want) error {
	c := &s.cols[w.Column]
	switch {
	case c.Unknown:
		return nil
	case w.Means.Sort == meaning.None:
		if s.padded[w.Column-s.keyed] { // a program may take them for numbers all the same
			c = &Column{Name: c.Name, Kind: num.I64}
		}
		return checkKind(s.name, c, w.Kind)
	}
	for _, m := range s.members {
		if word := m.keys[w.Column-s.keyed]; !word.none {
			if _, why := w.Means.Parse([]byte(word.text)); why != "" {
				e := columnError(filepath.Dir(m.src.Path()), c, "")
				e.Msg, e.Help = csvMeant(w.Means, word.text, why, "")
				return e
			}
		}
	}
	return nil
}

// fillKeys writes the columns of folders.
func (s *list) fillKeys(m *member, c Chunk, wants []Want, dst []Dest) error {
	for i, w := range wants {
		if w.Column < s.keyed {
			continue
		}
		if err := s.checkKey(w); err != nil {
			return err
		}
		if err := s.fillKey(m, c, w, dst[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *list) fillKey(m *member, c Chunk, w Want, dst Dest) error {
	size := int64(w.Kind.Size())
	if int64(len(dst.Values)) != c.Rows()*size || w.Option && int64(len(dst.Valid)) != c.Rows() {
		return columnError(s.name, &s.cols[w.Column], "its destination has the wrong length")
	}
	word := m.keys[w.Column-s.keyed]
	switch {
	case c.Rows() == 0:
		return nil
	case word.none && !w.Option:
		return nullAt(m.src.Path(), c.Lo-m.lo, s.cols[w.Column].Name)
	case word.none:
		clear(dst.Values)
		clear(dst.Valid)
		return nil
	case w.Option:
		fillOnes(dst.Valid)
	}
	if w.Presence {
		return nil
	}
	if err := s.keyValue(m, word, w, dst.Values[:size]); err != nil {
		return err
	}
	for done := size; done < int64(len(dst.Values)); done *= 2 {
		copy(dst.Values[done:], dst.Values[:done])
	}
	return nil
}

// keyValue writes what a folder's word stands for.
func (s *list) keyValue(m *member, word keyWord, w Want, dst []byte) error {
	if w.Means.Sort != meaning.None {
		v, _ := w.Means.Parse([]byte(word.text)) // it was checked
		column.Put(w.Kind, dst, 0, uint64(v))
		return nil
	}
	kind := s.cols[w.Column].Kind
	if s.padded[w.Column-s.keyed] {
		kind = num.I64
	}
	one := bytesOf([]int64{word.n})[:kind.Size()] // the lowest bytes come first
	if convert(dst, w, one, kind) >= 0 {
		return misfit(filepath.Dir(m.src.Path()), -1, s.cols[w.Column].Name, w, valueAt(one, kind, 0))
	}
	return nil
}

// keyFails reports that a predicate on a column of folders is false in all rows of a member.
func (s *list) keyFails(m *member, p Pred) bool {
	if p.Column < s.keyed || p.Column >= len(s.cols) || !s.cols[p.Column].Kind.Valid() || s.cols[p.Column].Kind == num.U64 { // spans are of i64
		return false
	}
	key := m.keys[p.Column-s.keyed]
	if key.none {
		return false
	}
	v := key.n
	sp := span{known: true, noNulls: true, lo: v, hi: v}
	return sp.fails(p)
}

// accepter is a source that knows beforehand that a chunk has nothing that Fill would refuse.
type accepter interface{ accepts(chunk int, w Want) bool }

// predsOf are those on the member's own columns.
func (s *list) predsOf(m *member, preds []Pred) (own []Pred) {
	for _, p := range preds {
		if p.Column >= 0 && p.Column < s.keyed {
			p.Column = m.column(p.Column)
			own = append(own, p)
		}
	}
	return own
}

// Prune asks the files whose folders do not say enough. Those that are text have nothing to say, and must be read whatever their folders say:
// only reading tells whether there is something wrong in them.
func (s *list) Prune(preds []Pred) []bool {
	pruned := make([]bool, len(s.chunks))
	err := Each(context.Background(), len(s.members), func(i int) error {
		m := s.members[i]
		own := s.predsOf(m, preds)
		_, knows := m.src.(accepter)
		failed := knows && slices.ContainsFunc(preds, func(p Pred) bool { return s.keyFails(m, p) })
		if n := len(m.src.Chunks()); failed {
			for c := range n {
				pruned[m.first+c] = true
			}
			return nil
		} else if n == 0 || !knows || len(own) == 0 {
			return nil
		}
		if err := s.use(m); err != nil {
			return err
		}
		defer s.done(m)
		copy(pruned[m.first:], m.src.Prune(own))
		return nil
	})
	if err != nil || !slices.Contains(pruned, true) {
		return nil // reading says what is wrong
	}
	return pruned
}

func (s *list) FillPruned(chunk int, preds []Pred, wants []Want, dst []Dest) error {
	if err := s.checkChunk(chunk, wants, dst); err != nil {
		return err
	}
	m := s.members[s.of[chunk]]
	if err := s.fillKeys(m, s.chunks[chunk], wants, dst); err != nil {
		return err
	}
	w, d := s.asked(m, wants, dst)
	if len(w) == 0 {
		return nil
	}
	if err := s.use(m); err != nil {
		return err
	}
	defer s.done(m)
	if !slices.ContainsFunc(preds, func(p Pred) bool { return s.keyFails(m, p) }) {
		return m.src.FillPruned(chunk-m.first, s.predsOf(m, preds), w, d)
	}
	return fillUnread(m.src, m.src.(accepter), chunk-m.first, w, d)
}

// fillUnread fills what no row of a chunk is looked at for. What Fill might refuse is read.
func fillUnread(src Source, knows accepter, chunk int, wants []Want, dst []Dest) error {
	for i, w := range wants {
		if !knows.accepts(chunk, w) {
			if _, err := src.Fill(context.Background(), chunk, wants[i:i+1], dst[i:i+1]); err != nil {
				return err
			}
			continue
		}
		clear(dst[i].Values)
		if w.Option {
			fillOnes(dst[i].Valid)
		}
	}
	return nil
}

// accepts implements accepter: of files that know, and for their own columns.
func (s *list) accepts(chunk int, w Want) bool {
	m := s.members[s.of[chunk]]
	a, knows := m.src.(accepter)
	if !knows || w.Column >= s.keyed || s.use(m) != nil {
		return false
	}
	defer s.done(m)
	w.Column = m.column(w.Column)
	return a.accepts(chunk-m.first, w)
}
