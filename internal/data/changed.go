package data

// ChangedError says that a file was changed by someone while it was being read.
type ChangedError struct{ Path string }

func (e *ChangedError) Error() string {
	return e.Path + " was changed while it was being read; run again when nothing writes to it"
}

// Unchanged implements Source.
func (in *input) Unchanged() error {
	if in.copied {
		return nil // nobody else has the copy
	}
	now, err := versionOf(in.file)
	switch {
	case err != nil:
		return systemError(in.path, err)
	case !in.opened.same(now):
		return &ChangedError{in.path}
	}
	return nil
}
