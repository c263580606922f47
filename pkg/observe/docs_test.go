// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"fmt"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/observe"
)

// TestThePageOnObservations compares the table of the exported metrics, and looks for each measure
// and each metric that it needs.
func TestThePageOnObservations(t *testing.T) {
	const page = "../../docs/observe.md"
	text := string(testfile.Read(t, page))
	head, rest, found := strings.Cut(text, "-update -->\n")
	_, tail, closed := strings.Cut(rest, "<!-- end -->")
	if !found || !closed {
		t.Fatal("the page has no place for the table")
	}
	table := "| metric | labels | what it is |\n|---|---|---|\n"
	for _, e := range observe.Exports() {
		table += fmt.Sprintf("| `%s` | `%s` | %s |\n", e.Name, strings.Join(e.Labels, "`, `"), e.Help)
	}
	golden.Check(t, page, head+"-update -->\n"+table+"<!-- end -->"+tail)
	for _, m := range observe.Measures() {
		if !strings.Contains(text, "`"+m.Metric+"`") {
			t.Errorf("the page lacks %s", m.Metric)
		}
	}
}
