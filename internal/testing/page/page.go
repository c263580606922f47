// SPDX-License-Identifier: Apache-2.0

// Package page holds the generated regions of a page of docs against what the code declares. A
// region begins after a line such as
//
//	<!-- policies: written by go test ./pkg/setup -run TestTheAutoscalingPage -update -->
//
// and ends at the next <!-- end -->.
package page

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// Check compares the regions of a file, by the names that their first lines have, with their
// texts.
func Check(t *testing.T, file string, regions map[string]string) {
	t.Helper()
	want := string(testfile.Read(t, file))
	for name, text := range regions {
		want = replace(t, want, name, text)
	}
	golden.Check(t, file, want)
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
