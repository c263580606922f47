// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEachClaimHasItsTest looks for the tests that docs/security.md names.
func TestEachClaimHasItsTest(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	claimed := regexp.MustCompile("`(Test[A-Za-z]+)`").FindAllStringSubmatch(string(page), -1)
	if len(claimed) < 20 {
		t.Errorf("the page names %d tests", len(claimed))
	}
	defined := map[string]bool{}
	for _, folder := range []string{"test", "controllers", "hack/image"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			raw, err := os.ReadFile(path)
			for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(raw), -1) {
				defined[match[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range claimed {
		if !defined[name[1]] {
			t.Errorf("there is no test %s", name[1])
		}
	}
}
