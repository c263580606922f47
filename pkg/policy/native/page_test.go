// SPDX-License-Identifier: Apache-2.0

package native

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updatePage = flag.Bool("update", false, "write the tables of docs/policies.md")

// docs/policies.md lists all policies and scorers with the parameters that they read.
func TestThePageOnPolicies(t *testing.T) {
	const name = "../../../docs/policies.md"
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var policies, scorers strings.Builder
	policies.WriteString("| policy | picks | source |\n|---|---|---|\n")
	for _, d := range DescribePolicies() {
		fmt.Fprintf(&policies, "| `%s` | %s | %s |\n", d.Name, d.Help, orDash(d.Source))
	}
	writeParameters(&policies, "policy", DescribePolicies())
	scorers.WriteString("| scorer | prefers replicas |\n|---|---|\n")
	for _, d := range DescribeScorers() {
		fmt.Fprintf(&scorers, "| `%s` | %s |\n", d.Name, d.Help)
	}
	writeParameters(&scorers, "scorer", DescribeScorers())
	want := replaceTables(t, string(page), "<!-- policies:", policies.String())
	want = replaceTables(t, want, "<!-- scorers:", scorers.String())
	if *updatePage {
		if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("docs/policies.md is not what the registry says; run go test ./pkg/policy/native -run TestThePageOnPolicies -update\n(−want +got):\n%s", diff)
	}
}

// writeParameters writes a row for each parameter.
func writeParameters(b *strings.Builder, of string, all []Description) {
	fmt.Fprintf(b, "\n| %s | parameter | default | meaning |\n|---|---|---|---|\n", of)
	for _, d := range all {
		for _, p := range d.Parameters {
			fmt.Fprintf(b, "| `%s` | `%s` | `%s` | %s |\n", d.Name, p.Name, p.Default, p.Help)
		}
	}
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// replaceTables puts a text between the line that begins with start and the next end.
func replaceTables(t *testing.T, page, start, text string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, start)
	if !found {
		t.Fatalf("the page lacks %q", start)
	}
	from := len(page) - len(rest) + strings.Index(rest, "\n") + 1
	to := strings.Index(page[from:], "<!-- end -->")
	return page[:from] + "\n" + text + "\n" + page[from+to:]
}

// Each policy and each scorer says what it does.
func TestAllPoliciesAndParametersAreDescribed(t *testing.T) {
	for _, d := range append(DescribePolicies(), DescribeScorers()...) {
		if d.Help == "" {
			t.Errorf("%s has no help text", d.Name)
		}
		for _, p := range d.Parameters {
			if p.Help == "" || p.Default == "" {
				t.Errorf("%s of %s has the help text %q and the default %q", p.Name, d.Name, p.Help, p.Default)
			}
		}
	}
}
