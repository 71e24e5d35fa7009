package run

// PreferMapping is for tests: launches with too few windows for a contest read their
// windows from mappings, where they can.
func PreferMapping(yes bool) {
	lately.Store(int32(byRead))
	if yes {
		lately.Store(int32(byMapping))
	}
}
