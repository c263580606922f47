// SPDX-License-Identifier: Apache-2.0

package trace

import (
	"errors"
	"fmt"
	"io"
	"os"

	"windtunnel.dev/windtunnel/pkg/workload/servegen"
)

// OpenPath opens the file of a trace, or a ServeGen folder as an archive of it.
func OpenPath(name string) (io.ReadCloser, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if !info.IsDir() {
		return file, nil
	}
	archive, err := servegen.Archive(os.DirFS(name))
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, fmt.Errorf("%s: is a folder, but no ServeGen folder: %w", name, err)
	}
	return archive, nil
}
