package view

import (
	"fmt"
	"strings"
	"time"

	"github.com/godwit-run/godwit/internal/plan/watch"
)

// Accused says what takes longer or shorter than expected, and what that rests on; nothing if nothing does.
func Accused(list []watch.Accusation, now time.Time) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n")
	for i := range list {
		a := &list[i]
		fmt.Fprintf(&b, "%s: %s pieces in the last %s %s\n", blamed(a), fmt.Sprint(a.Pieces), duration(now.Sub(a.Since).Seconds()), evidence(a))
	}
	return b.String()
}

func blamed(a *watch.Accusation) string {
	switch a.Kind {
	case watch.Link:
		return "the way to " + a.Name + " is slow"
	case watch.Disk:
		return "the disk of " + a.Name + " is slow"
	case watch.Model:
		return "kernel " + a.Name + " is not as it is expected"
	case watch.Description:
		return a.Name + " is not as it is described (godwit calibrate describes it)"
	}
	if a.Stops {
		return a.Name + " stops again and again"
	}
	return a.Name + " is slow"
}

func evidence(a *watch.Accusation) string {
	than := "as long as before"
	if a.Kind == watch.Model || a.Kind == watch.Description {
		than = "as long as expected"
	}
	return fmt.Sprintf("took %.2g times %s", a.Factor, than)
}
