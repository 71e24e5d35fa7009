package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/diag"
)

// misuse is a wrong command line that the command itself notices: a flag's value that cannot be meant.
type misuse struct{ text, help string }

func (e *misuse) Error() string { return e.text }

// Message lays the error out.
func (e *misuse) Message() *diag.Message { return &diag.Message{Text: e.text, Help: e.help} }

// deadlineGiven refuses a --deadline that is over at once; help says what leaving it out means.
func deadlineGiven(cmd *cobra.Command, d time.Duration, help string) error {
	if d > 0 || !cmd.Flags().Changed("deadline") {
		return nil
	}
	return &misuse{"--deadline is " + d.String(), "use more than 0, such as 30s; " + help}
}
