// SPDX-License-Identifier: Apache-2.0

package setup_test

import (
	"fmt"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/internal/testing/page"
	"windtunnel.dev/windtunnel/pkg/policy/adaptive"
	"windtunnel.dev/windtunnel/pkg/policy/admission"
	"windtunnel.dev/windtunnel/pkg/policy/parameters"
	"windtunnel.dev/windtunnel/pkg/policy/priority"
)

// docs/policy-reference.md lists all policies with the parameters that they read.
func TestTheAdmissionPage(t *testing.T) {
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
	page.Check(t, "../../docs/policy-reference.md", map[string]string{
		"admission policies":        admissions.String(),
		"priority policies":         priorities.String(),
		"laws":                      laws.String(),
		"common parameters of laws": common.String(),
		"hints":                     hints.String(),
	})
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
