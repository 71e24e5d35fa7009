package parcel

import (
	"github.com/godwit-run/godwit/internal/ir/kernel"
	"github.com/godwit-run/godwit/internal/packages/pack"
)

// Limits of the format. Beyond them a parcel is refused before anything of
// that size is allocated. Those of sizes, scalars and regions are kernels'.
const (
	MaxColumn = 1<<16 - 1 // greatest number of a column
	MaxStates = MaxBytes / 16
	MaxKinds  = kernel.MaxColumns
	MaxPieces = 1 << 16
	// MaxAnswer is how many columns an answer may have.
	MaxAnswer = 1 << 16
	MaxDetail = 4 << 10 // bytes of a failure's text
	MaxGrants = pack.MaxGrants
	MaxPart   = 4 << 20 // bytes of a file that are asked for at once

	maxSizes   = kernel.MaxSizes
	maxScalars = kernel.MaxScalars
	maxRegions = kernel.MaxRegions
	maxFaults  = kernel.MaxSites
)

// UsualSteps is how many steps nodes let a piece of a launch take at most, if who runs them says nothing else.
const UsualSteps = 1 << 42
