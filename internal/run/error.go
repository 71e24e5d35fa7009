package run

import "fmt"

// bug is an error that only a schedule at odds with itself can cause.
func bug(format string, args ...any) error {
	return fmt.Errorf("internal error: the schedule cannot be run: %w", fmt.Errorf(format, args...))
}

// SpaceError says that a run needs more memory than it may have.
type SpaceError struct {
	Name        string // of the argument or intermediate result
	Need, Limit int64  // bytes
	Why, Help   string
	Crowded     bool // by others: it would fit if they were not there
}

func (e *SpaceError) Error() string {
	return fmt.Sprintf("%s needs %s of memory%s, the limit is %s; %s", e.Name, bytesText(e.Need), e.Why, bytesText(e.Limit), e.Help)
}

func bytesText(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 10_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1<<30:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30)) // as the pages say limits
}
