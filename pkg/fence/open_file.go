// SPDX-License-Identifier: Apache-2.0

package fence

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"windtunnel.dev/windtunnel/pkg/workload/trace"
)

// openFile is a file that a process got open. It can be read from its beginning again and
// again, also by several readers at once.
type openFile struct {
	*io.SectionReader
	file *os.File
}

// reopen returns the opener of a file that is open.
func reopen(file *os.File) trace.Opener {
	return func() (io.ReadCloser, error) {
		info, err := file.Stat()
		if err != nil {
			return nil, err
		}
		return openFile{io.NewSectionReader(file, 0, info.Size()), file}, nil
	}
}

// Stat describes the file.
func (f openFile) Stat() (fs.FileInfo, error) { return f.file.Stat() }

// Close leaves the file open.
func (openFile) Close() error { return nil }

// fileOf opens a trace as a file. What is no file, such as a key of a ConfigMap, becomes one
// that has no name.
func fileOf(open trace.Opener) (*os.File, error) {
	text, err := open()
	if err != nil {
		return nil, err
	}
	if file, is := text.(*os.File); is {
		return file, nil
	}
	file, err := nameless()
	if err != nil {
		return nil, errors.Join(err, text.Close())
	}
	if _, err := io.Copy(file, text); err != nil {
		return nil, fmt.Errorf("copy: %w", errors.Join(err, text.Close(), file.Close()))
	}
	return file, text.Close()
}
