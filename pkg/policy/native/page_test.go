// SPDX-License-Identifier: Apache-2.0

package native

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/page"
)

// docs/policy-reference.md lists all policies and scorers with the parameters that they read.
func TestThePageOnPolicies(t *testing.T) {
	var policies, scorers, figures strings.Builder
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
	figures.WriteString("| signal | what it is of each replica |\n|---|---|\n")
	for _, d := range DescribeFigures() {
		fmt.Fprintf(&figures, "| `%s` | %s |\n", d.Name, d.Help)
	}
	writeParameters(&figures, "signal", DescribeFigures())
	page.Check(t, "../../../docs/policy-reference.md", map[string]string{"policies": policies.String(), "scorers": scorers.String(), "figures": figures.String()})
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

// Each policy and each scorer says what it does.
func TestAllPoliciesAndParametersAreDescribed(t *testing.T) {
	for _, d := range slices.Concat(DescribePolicies(), DescribeScorers(), DescribeFigures()) {
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
