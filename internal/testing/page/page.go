// SPDX-License-Identifier: Apache-2.0

// Package page holds the generated regions of a page of docs against what the code declares. A
// region begins after a line such as
//
//	<!-- policies: written by go test ./pkg/setup -run TestTheAutoscalingPage -update -->
//
// and ends at the next <!-- end -->.
package page

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Check compares the regions of a file, by the names that their first lines have, with their
// texts. With update it writes them.
func Check(t *testing.T, file string, update bool, regions map[string]string) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := string(raw)
	for name, text := range regions {
		want = replace(t, want, name, text)
	}
	if update {
		if err := os.WriteFile(file, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(raw), want); diff != "" {
		t.Errorf("%s is not what the code declares; the test writes it with -update (-page +code):\n%s", file, diff)
	}
}

func replace(t *testing.T, page, name, text string) string {
	t.Helper()
	before, rest, found := strings.Cut(page, "<!-- "+name+": ")
	start, rest, ended := strings.Cut(rest, "\n")
	_, after, closed := strings.Cut(rest, "<!-- end -->")
	if !found || !ended || !closed {
		t.Fatalf("the page has no region %s", name)
	}
	return before + "<!-- " + name + ": " + start + "\n\n" + strings.TrimSpace(text) + "\n\n<!-- end -->" + after
}
