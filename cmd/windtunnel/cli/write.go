// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ReplaceFile puts a new content in a file's place, or leaves the old one.
func ReplaceFile(name string, content []byte) error {
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	temp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) //nolint:errcheck // gone once it is renamed
	if _, err := temp.Write(content); err != nil {
		return err
	}
	if err := temp.Chmod(mode); err != nil {
		return err
	}
	if err := temp.Close(); err != nil {
		return err
	}
	return os.Rename(temp.Name(), name)
}

// WriteOutput writes to the file of -o, all of it or none, or to standard output for -.
func WriteOutput(stdout io.Writer, name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(stdout)
	}
	return WriteWhole(name, write)
}

// Content writes a text.
func Content(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}

// WriteWhole writes a file, all of it or none. It writes to devices and pipes as it goes.
func WriteWhole(name string, write func(io.Writer) error) error {
	if at, err := os.Stat(name); err == nil && !at.Mode().IsRegular() {
		return writeFile(name, write)
	}
	partial := name + ".partial"
	err := writeFile(partial, write)
	if err == nil {
		err = os.Rename(partial, name)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(partial))
	}
	return nil
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	return errors.Join(write(b), b.Flush(), f.Close())
}
