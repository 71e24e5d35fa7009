package kernel

// Limits of the byte format. They keep every later step short: what reads a
// kernel may loop over all of these without asking.
const (
	MaxBytes   = 64 << 10 // of a whole kernel
	MaxDepth   = 24       // blocks inside blocks
	MaxSizes   = 1024
	MaxScalars = 256
	MaxRegions = 1024
	MaxStates  = 256
	MaxSites   = 1 << 16
	MaxTerms   = 32 // of one polynomial
	MaxDegree  = 8  // of one term
	MaxCarries = 256
	MaxAccs    = 64
	MaxResults = 256
)

// MaxColumns is how many columns a state of a batch kernel has at most: a set of them is
// the bits of a word. See packages suspend and parcel.
const MaxColumns = 64
