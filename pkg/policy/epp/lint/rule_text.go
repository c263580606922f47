// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteRules lists all rules with their severity, what they find and why that
// matters.
func WriteRules(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "RULE\tSEVERITY\tFINDS")
	for _, r := range rules {
		fmt.Fprintf(table, "%s\t%s\t%s\n", r.ID, r.Severity, r.Summary)
		fmt.Fprintf(table, "\t\t  %s\n", r.Why)
	}
	return table.Flush()
}

// Write writes a rule in full.
func (r *Rule) Write(w io.Writer) error {
	fmt.Fprintf(w, "%s (%s)\n\nFinds:  %s\nWhy:    %s\nFix:    %s\nSource: %s\n", r.ID, r.Severity, r.Summary, r.Why, r.Fix, r.Source)
	if needs := r.Context.flags(); needs != "" {
		fmt.Fprintf(w, "Needs:  %s\n", needs)
	}
	for _, example := range []struct{ label, text string }{{"Found", r.BadExample()}, {"Not found", r.GoodExample()}} {
		if example.text != "" {
			fmt.Fprintf(w, "\n%s:\n\n%s", example.label, indent(example.text))
		}
	}
	return nil
}

// indent puts an example four columns to the right.
func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + line)
	}
	return b.String()
}

// flags are the command-line flags for the fields that are set.
func (c *Context) flags() string {
	var flags []string
	if c.Replicas != 0 {
		flags = append(flags, fmt.Sprintf("--replicas %d", c.Replicas))
	}
	if c.ScrapeInterval != 0 {
		flags = append(flags, fmt.Sprintf("--scrape-interval %v", c.ScrapeInterval))
	}
	if c.PromptTokens != 0 {
		flags = append(flags, fmt.Sprintf("--prompt-tokens %d", c.PromptTokens))
	}
	if c.PrefixShare != 0 {
		flags = append(flags, fmt.Sprintf("--prefix-share %v", c.PrefixShare))
	}
	if c.BlockTokens != 0 {
		flags = append(flags, fmt.Sprintf("--block-tokens %d", c.BlockTokens))
	}
	if c.Endpoints != 0 {
		flags = append(flags, fmt.Sprintf("--endpoints %d", c.Endpoints))
	}
	if c.SharedTokens != 0 {
		flags = append(flags, fmt.Sprintf("--shared-tokens %d", c.SharedTokens))
	}
	return strings.Join(flags, " ")
}
