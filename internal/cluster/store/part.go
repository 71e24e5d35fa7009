package store

import (
	"fmt"
	"time"
)

// In: whose uploads arrive. Out: whether somebody may begin one more.

// Itself is the owner of what the node fetches for itself. It has no limit of its own, and
// takes nothing of what others may have.
const Itself = ""

// parts is into how many parts places and space for uploads are divided. One owner has at most
// one of them, and no more places than are then left; the space of one shard, as it arrives,
// may be more.
const parts = 4

// patience is how long an upload may go without anything new. A copy that broke off is tried
// again by the node after a while, and goes on where it was.
func (s *Store) patience(owner string) time.Duration {
	if owner == Itself {
		return 5 * s.opt.Idle
	}
	return s.opt.Idle
}

// left is how long an upload may go on without anything new: no longer than its bytes so far
// would have taken at the least rate, so that space is not held by a byte now and then.
// Called with mu held.
func (s *Store) left(u *upload) time.Duration {
	idle := s.patience(u.owner)
	if u.owner == Itself {
		return idle
	}
	whole := idle + time.Duration(float64(u.have)/float64(s.opt.Rate)*float64(time.Second))
	return min(idle, whole-time.Since(u.begun))
}

// Committed is told of which sets are in the catalogue: their shards do not count to whoever has
// stored them any more.
func (s *Store) Committed(listed func(set uint32) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.shards {
		if h.owner != "" && listed(h.Set) {
			h.owner = ""
		}
	}
}

// unlisted is how many of an owner's shards are complete, but of no set in the catalogue, and
// their bytes. Called with mu held.
func (s *Store) unlisted(owner string) (shards int, n int64) {
	for _, h := range s.shards {
		if h.owner == owner {
			shards++
			n += h.Bytes
		}
	}
	return shards, n
}

// arriving is how many uploads an owner has, and others but the node itself together, with
// the bytes that the owner's will have, and those that are reserved for all. Called with mu held.
func (s *Store) arriving(owner string) (own, others int, bytes, all int64) {
	for _, u := range s.uploads {
		switch {
		case u.owner == owner:
			own++
			bytes += u.Bytes
		case u.owner != Itself:
			others++
		}
		all += u.space
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
	if most := min(max(1, s.opt.Uploads/parts), s.opt.Uploads-own-others); own >= most {
		return &BusyError{fmt.Sprintf("%d shards of %s are arriving already, which is the most for one certificate; more are taken when one of them is complete", own, owner)}
	}
	return nil
}

// beyondPart says why n bytes, for which there is room, are too many for this owner now: what
// arrives of one owner takes a part of what would be free if nothing arrived. One upload may
// be larger. What is complete and not in the catalogue yet, and what arrives, together leave a
// tenth to others; a load may well be most of a disk. Called with mu held.
func (s *Store) beyondPart(owner string, n int64) error {
	if owner == Itself {
		return nil
	}
	own, _, bytes, all := s.arriving(owner)
	shards, unlisted := s.unlisted(owner)
	if shards+own >= s.opt.Unlisted {
		return fmt.Errorf("%d shards of %s are here or arriving of sets that are not in the catalogue, which is the most for one certificate; commit them, or drop what was not committed", shards+own, owner)
	}
	if own == 0 && unlisted == 0 {
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
	if most := (left + all + unlisted) / 10 * 9; unlisted > 0 && unlisted+bytes+n > most {
		return fmt.Errorf("shards with %d bytes of %s are here of sets that are not in the catalogue, and there is no room for %d more beside them: one certificate has %d; load in several sets, or drop what was not committed", unlisted+bytes, owner, n, most)
	}
	if most := min((left+all)/parts, left); own > 0 && bytes+n > most {
		return &BusyError{fmt.Sprintf("shards with %d bytes of %s are arriving, and there is no room for %d more beside them: one certificate has %d; more are taken when one of them is complete",
			bytes, owner, n, most)}
	}
	return nil
}
