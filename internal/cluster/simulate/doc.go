// Package simulate runs whole clusters inside one goroutine and virtual time:
// the cores of nodes and callers that production runs, callers with its driver, a
// network and a control that misbehave by a seed, and jobs that are executed for
// real. It holds every result against a run of the whole kernel on one machine, bit
// for bit, and every error against the faults that were there to cause it.
package simulate
