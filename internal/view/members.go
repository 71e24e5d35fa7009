package view

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/godwit-run/godwit/internal/cluster/control"
)

// Members shows the members of etcd, and what is wrong with them; nothing if none is known.
func Members(list []control.MemberState, now time.Time) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "member of etcd\taddress\trole")
	for _, m := range list {
		role := m.Role
		if !m.Since.IsZero() {
			role += fmt.Sprintf(" for %s", duration(now.Sub(m.Since).Seconds()))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", m.Name, m.Address, role)
	}
	w.Flush()
	for _, line := range MemberNotes(list) {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// MemberNotes says that a majority is missing, and which members were replaced.
func MemberNotes(list []control.MemberState) (lines []string) {
	if has, voters, up := control.Majority(list); !has {
		lines = append(lines, fmt.Sprintf("etcd has no majority: %d of %d members answer, %d are needed; nodes answer reads with what they know, and nothing can be changed", up, voters, voters/2+1))
	}
	for _, m := range list {
		if m.Replaced != nil {
			lines = append(lines, MemberReplaced(&m))
		}
	}
	return lines
}

// MemberReplaced says when and why a member was replaced.
func MemberReplaced(m *control.MemberState) string {
	text := fmt.Sprintf("the member at %s was replaced at %s: %s", m.Name, m.Replaced.Time.Format(time.RFC3339), m.Replaced.Reason)
	if m.Replaced.Folder != "" {
		text += "; its old records are in " + m.Replaced.Folder
	}
	return text
}
