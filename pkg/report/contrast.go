// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"windtunnel.dev/windtunnel/internal/figure"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// WriteContrast prints the text of a contrast with its legend.
func WriteContrast(w io.Writer, c *result.Contrast) error { return Contrast(c).write(w) }

// Contrast returns the comparison of two results for people.
func Contrast(c *result.Contrast) Text {
	var b bytes.Buffer
	if len(c.Differing) > 0 {
		contrastGrid(c).write(&b)
		b.WriteByte('\n')
	}
	return newText(&b, contrastFacts(c), contrastLegend(c))
}

// ContrastTable returns the table of a contrast, and the sentences below it.
func ContrastTable(c *result.Contrast) (Table, []string) {
	return contrastGrid(c).table(), append(contrastFacts(c), contrastLegend(c)...)
}

func contrastGrid(c *result.Contrast) *grid {
	var names, firsts, seconds, differences, ps []string
	for i := range c.Differing {
		d := &c.Differing[i]
		both, _ := figures([]stats.Interval{{Mean: d.Means[0], N: 1}, {Mean: d.Means[1], N: 1}}, d.Measure.Unit(), 1)
		difference, margin, verdict := d.Comparison.Texts(len(c.Seeds))
		p := figure.Absent
		if d.PValue != nil {
			p = strings.TrimPrefix(figure.PValue(*d.PValue), "= ")
		}
		names = append(names, d.Measure.Unit().Title(d.Measure.String()))
		firsts, seconds = append(firsts, both[0]), append(seconds, both[1])
		differences = append(differences, strings.TrimSpace(difference+" "+margin+" "+verdict))
		ps = append(ps, p)
	}
	g := &grid{}
	g.add("metric", false, names)
	g.add(c.Names[0], true, firsts)
	g.add(c.Names[1], true, seconds)
	g.add("difference", false, differences)
	g.add("p", true, ps)
	return g
}

func contrastLegend(c *result.Contrast) []string {
	if len(c.Differing) == 0 {
		return nil
	}
	legend := []string{
		fmt.Sprintf("Difference is %s − %s, paired by seed, in %% of %s, over %d seeds (%s).", c.Names[1], c.Names[0], c.Names[0], len(c.Seeds), figure.Seeds(c.Seeds)),
	}
	if len(c.Seeds) > 1 {
		legend = append(legend, fmt.Sprintf("All verdicts together hold at %s: paired t-tests, Holm's correction for %d metrics that differ.", figure.Percent(result.Confidence), len(c.Differing)))
	}
	return legend
}

func contrastFacts(c *result.Contrast) []string {
	var notes []string
	if len(c.Seeds) < 2 {
		notes = append(notes, "With one seed in common every difference is undecided.")
	}
	notes = append(notes, fmt.Sprintf("%d metrics are the same under every seed.", c.Equal))
	for i, only := range c.Only {
		if len(only) > 0 {
			var words []string
			for _, m := range only {
				words = append(words, m.String())
			}
			notes = append(notes, fmt.Sprintf("Only %s has %s.", c.Names[i], strings.Join(words, ", ")))
		}
	}
	return notes
}
