// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// WriteText writes findings for people, one a line with its reason and remedy
// below, and a table of versions for each configuration, without the [Legend].
// [WriteSummary] suits the configurations of many files better.
func WriteText(w io.Writer, reports []Report, tables bool) error {
	afterTable := false
	write := func(f *Finding) {
		if afterTable {
			fmt.Fprintln(w)
		}
		afterTable = false
		writeFinding(w, f)
	}
	for _, r := range reports {
		for _, f := range r.Manifests {
			write(&f)
		}
		for _, object := range r.Clean {
			fmt.Fprintf(w, "%s: %s: no findings\n", r.File, object)
		}
		for _, c := range r.Configs {
			for _, f := range c.Findings {
				write(&f)
			}
			if !tables {
				continue
			}
			if afterTable || len(c.Findings) > 0 {
				fmt.Fprintln(w)
			}
			if err := writeVerdicts(w, r.File, &c); err != nil {
				return err
			}
			afterTable = true
		}
	}
	return nil
}

func writeFinding(w io.Writer, f *Finding) {
	fmt.Fprintf(w, "%s:%d:%d: %s %s: ", f.File, f.Line, f.Column, f.Severity, f.Rule)
	if f.Path != "" {
		fmt.Fprintf(w, "%s: ", f.Path)
	}
	fmt.Fprint(w, f.Message)
	if len(f.Versions) > 0 {
		fmt.Fprintf(w, " [%s]", strings.Join(f.Versions, ", "))
	}
	fmt.Fprintln(w)
	remedy := f.Fix
	if len(f.Edits) > 0 {
		remedy += " --fix does it."
	}
	for _, line := range []struct{ label, text string }{{"why", f.Why}, {"fix", remedy}} {
		if line.text != "" {
			fmt.Fprintf(w, "    %s: %s\n", line.label, line.text)
		}
	}
}

// footnoteOf marks versions whose verdicts are not those of their own loader.
func footnoteOf(v string) string {
	if version.Provenance(v) == "" {
		return ""
	}
	return "*"
}

// Legend explains the marks of the tables that [WriteText] and [WriteSummary] write, one
// mark a line.
func Legend(reports []Report) []string {
	var lines []string
	for _, r := range reports {
		for i := range r.Configs {
			for _, line := range r.Configs[i].legend() {
				if !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
			}
		}
	}
	return lines
}

// legend explains the marks in a configuration's table.
func (c *ConfigReport) legend() []string {
	var lines []string
	rows := verdictRows(c)
	if slices.ContainsFunc(rows, func(r verdictRow) bool { return !r.chosen }) {
		lines = append(lines, "> marks the versions that the findings are about.")
	}
	for _, row := range rows {
		if from := version.Provenance(row.newest); from != "" {
			lines = append(lines, fmt.Sprintf("* %s: %s, not from the release", row.newest, from))
		}
	}
	return lines
}

func (v *Compatibility) label() string {
	if v.Experimental && v.Verdict == config.Accepted {
		return "accepted, experimental"
	}
	return string(v.Verdict)
}

// reason is what the EPP stops at.
func (v *Compatibility) reason() string {
	switch {
	case v.Experimental && v.Verdict == config.Accepted:
		return "with --allow-experimental-plugins only"
	case v.Path == "":
		return v.Reason
	}
	return v.Path + ": " + v.Reason
}

// WriteSummary writes how many configurations each version accepts and refuses.
func WriteSummary(w io.Writer, reports []Report) error {
	columns := []string{string(config.Accepted), "accepted, experimental", string(config.RefusedInDecoding), string(config.RefusedInLoading), string(config.RefusedInStarting)}
	counts := map[string]map[string]int{}
	var order []string
	configs := 0
	for _, r := range reports {
		configs += len(r.Configs)
		for _, c := range r.Configs {
			for _, v := range c.Verdicts {
				if counts[v.Version] == nil {
					counts[v.Version], order = map[string]int{}, append(order, v.Version)
				}
				counts[v.Version][v.label()]++
			}
		}
	}
	fmt.Fprintf(w, "%d configurations in %d files\n", configs, len(reports))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "version\t%s\t\n", strings.Join(columns, "\t"))
	for _, version := range order {
		fmt.Fprintf(table, "%s\t", version+footnoteOf(version))
		for _, column := range columns {
			fmt.Fprintf(table, "%d\t", counts[version][column])
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}
