// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"strings"
)

// tail is the last lines of a file.
func tail(file string, lines int) string {
	content, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
