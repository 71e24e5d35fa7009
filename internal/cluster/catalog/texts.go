package catalog

import (
	"fmt"
	"strconv"

	"github.com/godwit-run/godwit/internal/pattern"
)

// The dictionaries of a data set are a data set of their own, its companion, whose name says whose they are. Invariant: while a data set is in
// the catalogue, so is its companion.

var companion = pattern.Of(`^texts\.(\d{1,10})$`)

// TextsOf is the name of the companion of a set; nobody else may take such a name.
func TextsOf(id uint32) string { return fmt.Sprintf("texts.%d", id) }

// TextsFor is the number of the set whose companion has this name.
func TextsFor(name string) (id uint32, ok bool) {
	m := companion().FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	n, err := strconv.ParseUint(m[1], 10, 32)
	return uint32(n), err == nil
}

// IsCompanionName reports that a name is one of those that companions have.
func IsCompanionName(name string) bool { return companion().MatchString(name) }

// IsCompanion reports that a set has the dictionaries of another one in the view.
func IsCompanion(v *View, s *Set) bool {
	id, ok := TextsFor(s.Name)
	owner, there := v.Set(id)
	return ok && there && owner.Texts == s.ID
}

// TextsOwner is the name of the set whose dictionaries a set of the view has; "" of other sets.
func TextsOwner(v *View, s *Set) string {
	if !IsCompanion(v, s) {
		return ""
	}
	id, _ := TextsFor(s.Name)
	owner, _ := v.Set(id)
	return owner.Name
}
