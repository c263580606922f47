// SPDX-License-Identifier: Apache-2.0

// Package testdata finds the large open data sets (traces, measured runs, published
// configurations) that some tests read. The repository does not contain them.
package testdata

import (
	"os"
	"path/filepath"
	"testing"
)

// EnvVar names the folder of the data sets; it wins over the search.
const EnvVar = "WINDTUNNEL_DATA"

// Dir returns the folder of the data sets: $WINDTUNNEL_DATA, or the nearest
// shared/data next to the checkout. Without the folder the test is skipped.
func Dir(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv(EnvVar); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		candidate := filepath.Join(dir, "shared", "data")
		if info, err := os.Stat(candidate); err == nil && info.IsDir() {
			return candidate
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Skipf("the open data sets are not here; set %s to their folder to run this test", EnvVar)
		}
		dir = parent
	}
}

// File returns the path of one data set's file, or skips the test.
func File(t testing.TB, name ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{Dir(t)}, name...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("data set file is not here: %v", err)
	}
	return path
}
