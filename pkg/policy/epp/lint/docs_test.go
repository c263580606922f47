// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

const lintPage = "../../../../docs/lint.md"

var update = flag.Bool("update", false, "rewrite the table of docs/lint.md")

func TestThePageListsTheRules(t *testing.T) {
	page := testfile.Read(t, lintPage)
	before, rest, found := strings.Cut(string(page), "<!-- rules -->\n")
	_, after, ended := strings.Cut(rest, "<!-- end of rules -->")
	if !found || !ended {
		t.Fatal("the page has no place for the rules")
	}
	want := before + "<!-- rules -->\n" + rulesTable() + "<!-- end of rules -->" + after
	if *update {
		testfile.Write(t, lintPage, []byte(want))
		return
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("docs/lint.md is not what the rules say; run go test ./pkg/policy/epp/lint -run TestThePage -update\n(−want +got):\n%s", diff)
	}
}

func rulesTable() string {
	var b strings.Builder
	b.WriteString("| rule | severity | finds | why | source |\n|---|---|---|---|---|\n")
	for _, r := range rules {
		finds := r.Summary
		if needs := r.Context.flags(); needs != "" {
			finds += " (with `" + strings.Fields(needs)[0] + "`)"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", r.ID, r.Severity, cell(finds), cell(r.Why), cell(r.Source))
	}
	return b.String()
}

// cell is a text within a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
