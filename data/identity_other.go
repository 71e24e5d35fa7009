//go:build !unix

package data

import (
	"fmt"
	"os"
)

func identity(path string, st os.FileInfo) string {
	return fmt.Sprintf("%s:%d:%d", path, st.Size(), st.ModTime().UnixNano())
}
