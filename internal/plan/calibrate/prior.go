package calibrate

import "github.com/godwit-run/godwit/internal/plan/cost"

// prior is what operations take in cycles if nothing is known of a processor: about the throughput that the
// tables of processors of the last ten years give. A fit departs from it as far as measurements say.
var prior = map[cost.Class][2]float64{
	cost.Simple: {0.3, 0.5}, cost.Multiply: {1, 1.5}, cost.High: {1.5, 6}, cost.Divide: {8, 60}, cost.Float: {0.5, 0.5}, cost.Extreme: {2, 1.5},
	cost.Fused: {4, 4}, cost.Root: {4, 12}, cost.Convert: {1, 1}, cost.Check: {0.6, 1.2}, cost.Near: {0.5, 0.6}, cost.Apart: {1.2, 1.5},
	cost.Branch: {4, 4}, cost.Turn: {0.6, 1.2}, cost.Enter: {6, 25}, cost.Lane: {2, 0.6}, cost.Outer: {100, 100},
}
