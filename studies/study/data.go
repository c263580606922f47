// SPDX-License-Identifier: Apache-2.0

package study

import (
	"fmt"
	"os"
	"path/filepath"
)

// DataFile returns the path of a file of the open data sets, which are not part
// of the repository. They are looked for as the tests do: in $WINDTUNNEL_DATA,
// then in shared/data next to the checkout.
func DataFile(name ...string) (string, error) {
	file := filepath.Join(name...)
	var candidates []string
	if dir := os.Getenv("WINDTUNNEL_DATA"); dir != "" {
		candidates = append(candidates, filepath.Join(dir, file))
	}
	if dir, err := os.Getwd(); err == nil {
		for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			candidates = append(candidates, filepath.Join(dir, "shared", "data", file))
		}
	}
	for _, path := range candidates {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not here: set $WINDTUNNEL_DATA to the folder of the open data sets", file)
}
