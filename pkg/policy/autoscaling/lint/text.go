// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"embed"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

//go:embed examples
var examples embed.FS

// example is a manifest with a finding of the rule, bad, or without one, good.
func (r *Rule) example(name string) string {
	text, err := examples.ReadFile("examples/" + r.ID + "/" + name + ".yaml")
	if err != nil {
		panic(fmt.Sprintf("lint: rule %s: %v", r.ID, err))
	}
	return string(text)
}

// WriteRules lists the rules.
func WriteRules(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\nRULE ABOUT AUTOSCALERS\tSEVERITY\tFINDS")
	for _, r := range rules {
		fmt.Fprintf(table, "%s\t%s\t%s\n", r.ID, r.Severity, r.Summary)
		fmt.Fprintf(table, "\t\t  %s\n", r.Why)
	}
	return table.Flush()
}

// Descriptions are the rules as a SARIF log describes them.
func Descriptions() []*lint.Rule {
	var all []*lint.Rule
	for _, r := range rules {
		all = append(all, &lint.Rule{ID: r.ID, Severity: r.Severity, Summary: r.Summary, Why: r.Why, Fix: r.Fix})
	}
	return all
}

// Write writes a rule in full.
func (r *Rule) Write(w io.Writer) error {
	fmt.Fprintf(w, "%s (%s)\n\nFinds:  %s\nWhy:    %s\nFix:    %s\n", r.ID, r.Severity, r.Summary, r.Why, r.Fix)
	for _, each := range []struct{ label, name string }{{"Found", "bad"}, {"Not found", "good"}} {
		fmt.Fprintf(w, "\n%s:\n\n", each.label)
		for line := range strings.Lines(r.example(each.name)) {
			fmt.Fprint(w, "    "+line)
		}
	}
	return nil
}
