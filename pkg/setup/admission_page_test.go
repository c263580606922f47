// SPDX-License-Identifier: Apache-2.0

package setup_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/adaptive"
	"windtunnel.dev/windtunnel/pkg/policy/admission"
	"windtunnel.dev/windtunnel/pkg/policy/parameters"
	"windtunnel.dev/windtunnel/pkg/policy/priority"
)

var updatePage = flag.Bool("update", false, "write the tables of pages")

// docs/admission.md lists all policies with the parameters that they read.
func TestTheAdmissionPage(t *testing.T) {
	const name = "../../docs/admission.md"
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var admissions, priorities, laws, common, hints strings.Builder
	for _, d := range admission.Describe() {
		describe(&admissions, d.Name, d.Help, d.Parameters)
	}
	for _, d := range priority.Describe() {
		describe(&priorities, d.Name, d.Help, d.Parameters)
	}
	for _, d := range adaptive.Describe() {
		describe(&laws, d.Name, d.Help, d.Parameters)
	}
	table(&common, adaptive.Common())
	table(&hints, parameters.Hints())
	want := replaceTable(t, string(page), "<!-- admission policies", admissions.String())
	want = replaceTable(t, want, "<!-- priority policies", priorities.String())
	want = replaceTable(t, want, "<!-- laws", laws.String())
	want = replaceTable(t, want, "<!-- common parameters of laws", common.String())
	want = replaceTable(t, want, "<!-- hints", hints.String())
	if *updatePage {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("docs/admission.md is not what the policies declare; run go test ./pkg/setup -run TestTheAdmissionPage -update\n(−want +got):\n%s", diff)
	}
}

// describe writes a policy and a row for each of its parameters.
func describe(b *strings.Builder, name, help string, all []parameters.Parameter) {
	fmt.Fprintf(b, "**`%s`** %s.\n\n", name, help)
	table(b, all)
}

// table writes a row for each parameter, if there are some.
func table(b *strings.Builder, all []parameters.Parameter) {
	if len(all) == 0 {
		return
	}
	b.WriteString("| parameter | default | meaning |\n|---|---|---|\n")
	for _, p := range all {
		otherwise := ""
		if p.Default != "" {
			otherwise = "`" + p.Default + "`"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", p.Name, otherwise, p.Help)
	}
	b.WriteString("\n")
}

// replaceTable puts a text between the line that begins with start and the next end.
func replaceTable(t *testing.T, page, start, text string) string {
	t.Helper()
	const end = "<!-- end -->"
	from := strings.Index(page, start)
	if from < 0 {
		t.Fatalf("the page lacks %q", start)
	}
	from += strings.Index(page[from:], "\n") + 1
	to := strings.Index(page[from:], end)
	return page[:from] + "\n" + text + page[from+to:]
}
