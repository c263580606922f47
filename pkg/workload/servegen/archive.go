// SPDX-License-Identifier: Apache-2.0

package servegen

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"path"
)

// ReadArchive reads the clients of a folder in a tar archive, and the archive to its end.
// Folders within it say nothing: files go by their last names. It holds one file at a time.
// Errors are those of [Read].
func ReadArchive(in io.Reader) (*Data, error) {
	var r reader
	archive := tar.NewReader(in)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("must be a tar archive of a ServeGen folder: %w", err)
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if err := r.file(path.Base(header.Name), archive); err != nil {
			return nil, err
		}
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	return r.data()
}
