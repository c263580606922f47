// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEachClaimHasItsTest looks for the tests that pages name.
func TestEachClaimHasItsTest(t *testing.T) {
	defined := definedTests(t)
	for _, name := range []string{"security.md", "reliability.md"} {
		page, err := os.ReadFile(filepath.Join(root, "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		claimed := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)`").FindAllStringSubmatch(string(page), -1)
		if len(claimed) < 20 {
			t.Errorf("%s names %d tests", name, len(claimed))
		}
		for _, claim := range claimed {
			if !defined[claim[1]] {
				t.Errorf("%s: there is no test %s", name, claim[1])
			}
		}
	}
}

// TestEveryKindOfFaultHasItsRow counts the rows of docs/reliability.md.
func TestEveryKindOfFaultHasItsRow(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "reliability.md"))
	if err != nil {
		t.Fatal(err)
	}
	for kind := 1; kind <= 23; kind++ {
		if row := fmt.Sprintf("\n| %d | ", kind); strings.Count(string(page), row) != 1 {
			t.Errorf("there are %d rows of kind %d", strings.Count(string(page), row), kind)
		}
	}
}

// definedTests are the names of all tests that may be claimed.
func definedTests(t *testing.T) map[string]bool {
	t.Helper()
	defined := map[string]bool{}
	for _, folder := range []string{"test", "controllers", "pkg", "hack/image"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			raw, err := os.ReadFile(path)
			for _, match := range regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`).FindAllStringSubmatch(string(raw), -1) {
				defined[match[1]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return defined
}
