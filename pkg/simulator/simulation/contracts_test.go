// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// docs/contracts.md names files and tests that exist.
func TestTheContractsPageNamesWhatExists(t *testing.T) {
	const root = "../../.."
	page := testfile.Read(t, filepath.Join(root, "docs", "contracts.md"))
	for _, file := range regexp.MustCompile("`(pkg/[^`]*\\.(?:txt|go))`").FindAllStringSubmatch(string(page), -1) {
		if _, err := os.Stat(filepath.Join(root, file[1])); err != nil {
			t.Error(err)
		}
	}
	for _, test := range regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)` in `(pkg/[^`]*)`").FindAllStringSubmatch(string(page), -1) {
		if !hasTest(t, filepath.Join(root, test[2]), test[1]) {
			t.Errorf("%s has no %s", test[2], test[1])
		}
	}
}

// hasTest reports whether a package declares a test.
func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text := testfile.Read(t, file)
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
