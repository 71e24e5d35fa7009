package store

import (
	"fmt"
	"time"
)

// In: whose uploads arrive. Out: whether somebody may begin one more.

// Itself is the owner of what the node fetches for itself. It has no limit of its own, and
// takes nothing of what others may have.
const Itself = ""

// parts is into how many parts places and space for uploads are divided: one owner has at
// most one of them.
const parts = 4

// patience is how long an upload may go without anything new. A copy that broke off is tried
// again by the node after a while, and goes on where it was.
func (s *Store) patience(owner string) time.Duration {
	if owner == Itself {
		return 5 * s.opt.Idle
	}
	return s.opt.Idle
}

// arriving is how many uploads an owner has, and others but the node itself together, with
// the bytes that are reserved for the owner's and for all. Called with mu held.
func (s *Store) arriving(owner string) (own, others int, bytes, all int64) {
	for _, u := range s.uploads {
		switch {
		case u.owner == owner:
			own++
			bytes += u.Bytes
		case u.owner != Itself:
			others++
		}
		all += u.Bytes
	}
	return own, others, bytes, all
}

// crowded says why nobody, or not this owner, begins another upload. Called with mu held.
func (s *Store) crowded(owner string) error {
	if owner == Itself {
		return nil
	}
	own, others, _, _ := s.arriving(owner)
	if own+others >= s.opt.Uploads {
		return &BusyError{fmt.Sprintf("%d shards are arriving already; more are taken when one of them is complete", own+others)}
	}
	if most := max(1, s.opt.Uploads/parts); own >= most {
		return &BusyError{fmt.Sprintf("%d shards of %s are arriving already, which is the most for one certificate; more are taken when one of them is complete", own, owner)}
	}
	return nil
}

// beyondPart says why n bytes, for which there is room, are too many for this owner now: what
// arrives of one owner takes a part of what would be free if nothing arrived. One upload is
// always taken. Called with mu held.
func (s *Store) beyondPart(owner string, n int64) error {
	own, _, bytes, all := s.arriving(owner)
	if owner == Itself || own == 0 {
		return nil
	}
	limit, err := s.limit()
	if err != nil {
		return err
	}
	left := limit - s.used
	if !s.opt.Memory {
		free, reserve, err := s.free()
		if err != nil {
			return err
		}
		left = min(left, free-reserve)
	}
	if most := (left + all) / parts; bytes+n > most {
		return &BusyError{fmt.Sprintf("shards with %d bytes of %s are arriving, and there is no room for %d more beside them: one certificate has %d; more are taken when one of them is complete",
			bytes, owner, n, most)}
	}
	return nil
}
