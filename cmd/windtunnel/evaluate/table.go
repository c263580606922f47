// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"text/tabwriter"

	"windtunnel.dev/windtunnel/pkg/evaluate"
)

// printAnswers prints answers about one policy for people: a line for each score, and why there
// is none.
func printAnswers(w io.Writer, answers []*evaluate.Answer) error {
	fmt.Fprintf(w, "Policy %.12s\n\n", answers[0].PolicyID)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "scenario\tseed\tobjective\tvalue\tscore")
	for _, a := range answers {
		for _, name := range slices.Sorted(maps.Keys(a.Scores)) {
			value := "–"
			if v := a.Objectives[name].Value; v != nil {
				value = strconv.FormatFloat(*v, 'g', 5, 64)
			}
			fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%.4f\n", a.Scenario, a.Seed, name, value, a.Scores[name])
		}
		fmt.Fprintf(table, "%s\t%d\tcombined score\t\t%.4f\n", a.Scenario, a.Seed, a.CombinedScore)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, a := range answers {
		if f := a.Error; f != nil {
			fmt.Fprintf(w, "\n%s, seed %d: %s\n", a.Scenario, a.Seed, f)
		}
		if a.SummaryText != "" {
			fmt.Fprintf(w, "\n# %s, seed %d\n\n%s", a.Scenario, a.Seed, a.SummaryText)
		}
	}
	return nil
}
