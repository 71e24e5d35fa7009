package mem

// InUse is the number of bytes of address space in spans that have not been
// freed.
func (a *Arena) InUse() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.Size() - guard - a.kept.small - a.kept.long
	for _, s := range a.free {
		n -= s.Len
	}
	return n
}
