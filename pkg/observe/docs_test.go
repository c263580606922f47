// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/observe"
)

var update = flag.Bool("update", false, "write the table of docs/observe.md")

// TestThePageOnObservations compares the table of the exported metrics, and looks for each measure
// and each metric that it needs.
func TestThePageOnObservations(t *testing.T) {
	const page = "../../docs/observe.md"
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(raw), "-update -->\n")
	old, tail, closed := strings.Cut(rest, "<!-- end -->")
	if !found || !closed {
		t.Fatal("the page has no place for the table")
	}
	table := "| metric | labels | what it is |\n|---|---|---|\n"
	for _, e := range observe.Exports() {
		table += fmt.Sprintf("| `%s` | `%s` | %s |\n", e.Name, strings.Join(e.Labels, "`, `"), e.Help)
	}
	if *update {
		if err := os.WriteFile(page, []byte(head+"-update -->\n"+table+"<!-- end -->"+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		old = table
	}
	if diff := cmp.Diff(table, old); diff != "" {
		t.Errorf("run this test with -update (−want +got):\n%s", diff)
	}
	for _, m := range observe.Measures() {
		if !strings.Contains(string(raw), "`"+m.Metric+"`") {
			t.Errorf("the page lacks %s", m.Metric)
		}
	}
}
