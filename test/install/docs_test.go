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
	for name, atLeast := range map[string]int{"attacks.md": 20, "security.md": 5, "reliability.md": 20, "release.md": 5} {
		page, err := os.ReadFile(filepath.Join(root, "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		claimed := regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z]+)`").FindAllStringSubmatch(string(page), -1)
		if len(claimed) < atLeast {
			t.Errorf("%s names %d tests", name, len(claimed))
		}
		for _, claim := range claimed {
			if !defined[claim[1]] {
				t.Errorf("%s: there is no test %s", name, claim[1])
			}
		}
	}
}

// TestEveryAttackHasItsTest looks at the tables of docs/attacks.md, whose
// last column names the tests.
func TestEveryAttackHasItsTest(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "attacks.md"))
	if err != nil {
		t.Fatal(err)
	}
	attacks, inside := 0, false
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		switch {
		case strings.HasPrefix(line, "| what was tried |"):
			inside = true
		case !strings.HasPrefix(line, "|"):
			inside = false
		case inside && !strings.HasPrefix(line, "|--"):
			attacks++
			if len(cells) != 5 || !strings.Contains(cells[len(cells)-1], "`Test") && !strings.Contains(cells[len(cells)-1], "`Fuzz") {
				t.Errorf("want 5 cells, of which the last names a test: %s", line)
			}
		}
	}
	if attacks < 20 {
		t.Errorf("the page has %d attacks", attacks)
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
	for _, folder := range []string{"test", "cmd", "controllers", "internal", "pkg", "hack/image"} {
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

// The index of a folder of pages has each of them.
func TestTheIndexHasEveryPage(t *testing.T) {
	for index, patterns := range map[string][]string{
		"docs/README.md":         {"*.md", "tasks/*.md"},
		"docs/studies/README.md": {"*.md"},
	} {
		text, err := os.ReadFile(filepath.Join(root, index))
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Dir(filepath.Join(root, index))
		for _, pattern := range patterns {
			pages, err := filepath.Glob(filepath.Join(folder, pattern))
			if err != nil {
				t.Fatal(err)
			}
			for _, page := range pages {
				name, err := filepath.Rel(folder, page)
				if err != nil {
					t.Fatal(err)
				}
				if name != "README.md" && !strings.Contains(string(text), "]("+filepath.ToSlash(name)+")") {
					t.Errorf("%s has no link to %s", index, name)
				}
			}
		}
	}
}
