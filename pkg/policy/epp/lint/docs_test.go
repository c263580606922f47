// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/golden"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

const lintPage = "../../../../docs/lint.md"

func TestThePageListsTheRules(t *testing.T) {
	page := testfile.Read(t, lintPage)
	before, rest, found := strings.Cut(string(page), "<!-- rules -->\n")
	_, after, ended := strings.Cut(rest, "<!-- end of rules -->")
	if !found || !ended {
		t.Fatal("the page has no place for the rules")
	}
	want := before + "<!-- rules -->\n" + rulesTable() + "<!-- end of rules -->" + after
	golden.Check(t, lintPage, want)
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
