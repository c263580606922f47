// SPDX-License-Identifier: Apache-2.0

package servegen

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
)

// Archive returns a tar archive of a folder's clients, which is the same for the same files,
// whatever else is in the folder.
func Archive(folder fs.FS) (io.ReadCloser, error) {
	var names []string
	for _, pattern := range filePatterns {
		more, err := fs.Glob(folder, pattern)
		if err != nil {
			return nil, err
		}
		names = append(names, more...)
	}
	if len(names) == 0 {
		return nil, errNoTrace
	}
	slices.Sort(names)
	out, in := io.Pipe()
	go func() {
		_ = in.CloseWithError(writeArchive(in, folder, names)) // which never fails
	}()
	return out, nil
}

func writeArchive(w io.Writer, folder fs.FS, names []string) error {
	archive := tar.NewWriter(w)
	for _, name := range names {
		if err := writeFile(archive, folder, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return archive.Close()
}

func writeFile(archive *tar.Writer, folder fs.FS, name string) error {
	file, err := folder.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if err := archive.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: info.Size(), Format: tar.FormatUSTAR}); err != nil {
		return err
	}
	_, err = io.Copy(archive, file)
	return err
}

// ReadArchive reads the clients of a folder in a tar archive, and the archive to its end.
// Folders within it say nothing: files go by their last names. It holds one file at a time.
// Errors name the file, the row or the window, and the field.
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
