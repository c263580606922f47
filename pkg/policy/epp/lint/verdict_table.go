// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// A verdictRow is one verdict that the versions from oldest to newest share. Its
// reason is the newest one's: the others stop at the same field, in words that name
// them.
type verdictRow struct {
	newest, oldest string
	verdict        *Compatibility
	// chosen is whether findings are about the version; such a row has no other.
	chosen bool
}

// verdictRows are the rows of a configuration's table: llm-d's versions and then
// those of the Gateway API Inference Extension, each with the newest first. Where
// versions were asked for, they are the only ones.
func verdictRows(c *ConfigReport) []verdictRow {
	var llmd, gie []verdictRow
	for i := range slices.Backward(c.Verdicts) {
		v := &c.Verdicts[i]
		row := verdictRow{newest: v.Version, oldest: v.Version, verdict: v, chosen: slices.Contains(c.Versions, v.Version)}
		switch {
		case c.named && !row.chosen:
		case strings.HasPrefix(v.Version, "gie-"):
			gie = addRow(gie, row)
		default:
			llmd = addRow(llmd, row)
		}
	}
	return append(llmd, gie...)
}

// addRow adds the row of the next older version, or lets the last row cover it.
func addRow(rows []verdictRow, row verdictRow) []verdictRow {
	if len(rows) > 0 && rows[len(rows)-1].extendsTo(&row) {
		rows[len(rows)-1].oldest = row.oldest
		return rows
	}
	return append(rows, row)
}

// extendsTo reports whether an older version may share the row.
func (r *verdictRow) extendsTo(older *verdictRow) bool {
	if r.chosen || older.chosen {
		return false
	}
	a, b := *r.verdict, *older.verdict
	if a.Path != "" {
		a.Reason, b.Reason = "", ""
	}
	a.Version, b.Version = "", ""
	return a == b
}

// versions names the row's versions, the newest first.
func (r *verdictRow) versions() string {
	mark, name := " ", r.newest+footnoteOf(r.newest)
	if r.chosen {
		mark = ">"
	}
	if r.oldest != r.newest {
		name += " back to " + r.oldest
	}
	return mark + " " + name
}

// writeVerdicts writes what the versions make of a configuration.
func writeVerdicts(w io.Writer, file string, c *ConfigReport) error {
	name := file
	if c.Name != "" {
		name += ", " + c.Name
	}
	fmt.Fprintf(w, "%s:\n", name)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range verdictRows(c) {
		fmt.Fprintf(table, "%s\t%s", row.versions(), row.verdict.label())
		if reason := row.verdict.reason(); reason != "" {
			fmt.Fprintf(table, "\t%s", reason)
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}
