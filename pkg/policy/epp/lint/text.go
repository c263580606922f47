// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

// WriteText writes findings for people, one a line with its reason and remedy
// below, and a table of versions for each configuration. Configurations of many
// files are better summed up by [WriteSummary].
func WriteText(w io.Writer, reports []Report, tables bool) error {
	for _, r := range reports {
		for _, f := range r.Manifests {
			writeFinding(w, &f)
		}
		for _, c := range r.Configs {
			for _, f := range c.Findings {
				writeFinding(w, &f)
			}
			if !tables {
				continue
			}
			if len(c.Findings) > 0 {
				fmt.Fprintln(w)
			}
			if err := writeVerdicts(w, r.File, &c); err != nil {
				return err
			}
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

// footnotes say what the marks of these versions mean.
func footnotes(versions []string) string {
	text := ""
	for _, v := range versions {
		if from := version.Provenance(v); from != "" {
			text += fmt.Sprintf("  * %s: %s, not from the release\n", v, from)
		}
	}
	return text
}

func (v *Verdict) words() string {
	if v.Experimental && v.Verdict == config.Accepted {
		return "accepted, experimental"
	}
	return string(v.Verdict)
}

// because is what the EPP stops at.
func (v *Verdict) because() string {
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
				counts[v.Version][v.words()]++
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
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, footnotes(order))
	return err
}
