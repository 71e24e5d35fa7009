package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/godwit-run/godwit/internal/front/compile"
	"github.com/godwit-run/godwit/internal/front/diag"
	"github.com/godwit-run/godwit/internal/front/syntax"
	"github.com/godwit-run/godwit/internal/view"
)

// formatting is one godwit fmt.
type formatting struct{ diff, write bool }

func newFmt() *cobra.Command {
	f := &formatting{}
	cmd := &cobra.Command{
		Use:               "fmt [FILE]...",
		Short:             "Format programs",
		Long:              "Print programs in their canonical form: standard input if no file is named.",
		Example:           "  godwit fmt -w *.gw",
		ValidArgsFunction: completeFiles,
		RunE:              action(f.run),
	}
	cmd.Flags().BoolVarP(&f.diff, "diff", "d", false, "print what would change, and fail if anything would")
	cmd.Flags().BoolVarP(&f.write, "write", "w", false, "change the files")
	cmd.MarkFlagsMutuallyExclusive("diff", "write")
	return cmd
}

func (f *formatting) run(cmd *cobra.Command, paths []string) error {
	if len(paths) == 0 {
		text, err := io.ReadAll(cmd.InOrStdin())
		if err != nil {
			return err
		}
		_, err = f.one(cmd, diag.NewSource("standard input", string(text)))
		return err
	}
	sources, err := compile.Read(paths...)
	if err != nil {
		return err
	}
	var errs []error
	changed := 0
	for _, src := range sources {
		differs, err := f.one(cmd, src)
		errs = append(errs, err)
		if differs {
			changed++
		}
	}
	if err := join(errs); err != nil {
		return err
	}
	if f.diff && changed > 0 {
		return &compile.InputError{Text: fmt.Sprintf("%d of %d files are not formatted", changed, len(paths)), Help: "godwit fmt -w FILE"}
	}
	return nil
}

// one formats a program and tells whether that changes it.
func (f *formatting) one(cmd *cobra.Command, src *diag.Source) (bool, error) {
	msgs := new(diag.List)
	file := syntax.Parse(src, msgs)
	if msgs.Failed() {
		msgs.Sort()
		return false, &compile.SourceError{Messages: msgs.Messages}
	}
	text := syntax.Format(file)
	out := cmd.OutOrStdout()
	switch {
	case f.diff:
		fmt.Fprint(out, view.Diff(src.Path, src.Text, text, view.StyleOf(out)))
	case f.write && text != src.Text:
		return true, replace(src.Path, text)
	case !f.write:
		fmt.Fprint(out, text)
	}
	return text != src.Text, nil
}

// replace changes a file at once or not at all.
func replace(path, text string) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	st, err := os.Stat(target)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone if all is well
	_, err = tmp.WriteString(text)
	if e := tmp.Chmod(st.Mode().Perm()); err == nil {
		err = e
	}
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp.Name(), target)
	}
	return err
}
