package run

// Ways is how many ways windows on a file can come.
const Ways = int(ways)

// Prefer is for tests: launches with too few windows for a contest take this way, where they can.
func Prefer(w int) { lately.Store(int32(w)) }
