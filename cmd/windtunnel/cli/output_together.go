// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A FileContent is what a file is to hold.
type FileContent struct {
	Name, Content string
}

// WriteTogether gives files their contents: all of them, or none where one of them cannot be
// written.
func WriteTogether(files []FileContent) error {
	var staged []stagedFile
	defer func() {
		for _, s := range staged {
			_ = os.Remove(s.partial) // gone once it is renamed
		}
	}()
	for _, f := range files {
		s, err := stage(f)
		staged = append(staged, s)
		if err != nil {
			return err
		}
	}
	// A pipe comes last, since what it got cannot be taken back.
	slices.SortStableFunc(staged, func(a, b stagedFile) int { return a.order() - b.order() })
	for i := range staged {
		if err := staged[i].put(); err != nil {
			for _, s := range staged[:i] {
				err = errors.Join(err, s.undo())
			}
			return err
		}
	}
	return nil
}

// A stagedFile is a file whose new content is in a temporary file next to it.
type stagedFile struct {
	FileContent
	// partial has the new content; empty where the file is none that another one can
	// replace, such as a pipe.
	partial string
	// before is the old content of a file that is there.
	before []byte
	there  bool
}

// stage writes a content next to its file, and makes sure that the file may be written.
func stage(f FileContent) (stagedFile, error) {
	mode := fs.FileMode(0o644)
	s := stagedFile{FileContent: f}
	info, err := os.Stat(f.Name)
	if err == nil {
		if s.Name, err = filepath.EvalSymlinks(f.Name); err != nil {
			return s, err
		}
		if info.IsDir() {
			return s, &fs.PathError{Op: "write", Path: f.Name, Err: errors.New("is a folder")}
		}
		if !info.Mode().IsRegular() {
			return s, nil
		}
		mode, s.there = info.Mode().Perm(), true
		if s.before, err = readWritable(s.Name); err != nil {
			return s, err
		}
	}
	s.partial = s.Name + ".partial"
	if err := os.WriteFile(s.partial, []byte(f.Content), mode); err != nil {
		return s, err
	}
	if s.there {
		return s, os.Chmod(s.partial, mode) // what the process masks of new files is not masked here
	}
	return s, nil
}

// readWritable reads a file that may be written.
func readWritable(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

func (s *stagedFile) order() int {
	if s.partial == "" {
		return 1
	}
	return 0
}

// put puts the new content in the file's place.
func (s *stagedFile) put() error {
	if s.partial == "" {
		return os.WriteFile(s.Name, []byte(s.Content), 0o644)
	}
	return os.Rename(s.partial, s.Name)
}

// undo puts back what was there.
func (s *stagedFile) undo() error {
	switch {
	case s.partial == "":
		return nil
	case s.there:
		return ReplaceFile(s.Name, s.before)
	default:
		return os.Remove(s.Name)
	}
}
