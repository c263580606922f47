// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed" // the page
	"fmt"
	"os"
	"strings"
	"text/template"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/studies/study"
)

//go:embed page.md.tmpl
var pageText string

// page is what the template needs.
type page struct {
	scale    scale
	contests []contest
}

func (p *page) write(path string) error {
	var text bytes.Buffer
	if err := template.Must(template.New("page").Parse(pageText)).Execute(&text, p.data()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

func (p *page) data() map[string]any {
	names := knobs()
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, "`"+name+"`")
	}
	return map[string]any{
		"Engine": simulator.EngineVersion, "Seeds": p.scale.seeds, "Most": p.scale.most, "Target": target,
		"Knobs": strings.Join(quoted, ", "), "Count": len(names), "Ladder": strings.Trim(strings.ReplaceAll(fmt.Sprint(ladder), " ", ", "), "[]"),
		"Moves": len(possible(flawed(names))), "Flawed": flawed(names).source(names), "Scenario": strings.TrimSpace(string(scenarioText)),
		"Objectives": "`" + strings.Join(objectives, "` and `") + "`", "Table": p.table(), "Verdict": p.verdict(), "Same": p.same(),
	}
}

// table has a row for each door and kind of loop.
func (p *page) table() string {
	t := study.Table{Titles: []string{"loop", "summaries", "reached the target", "median", "quartiles", "ratio of medians"}}
	for i := range p.contests {
		c := &p.contests[i]
		for _, arm := range []struct {
			name  string
			all   []outcome
			ratio string
		}{{"no", c.without, ""}, {"yes", c.with, c.ratio()}} {
			t.Add(c.name, arm.name, fmt.Sprintf("%d of %d", reached(arm.all), len(arm.all)), evaluations(arm.all, 0.5),
				evaluations(arm.all, 0.25)+" to "+evaluations(arm.all, 0.75), arm.ratio)
		}
	}
	return t.String()
}

func reached(all []outcome) (n int) {
	for _, o := range all {
		if o.reached {
			n++
		}
	}
	return n
}

func evaluations(all []outcome, q float64) string {
	n, reached := quantile(all, q)
	if !reached {
		return fmt.Sprintf("more than %d", n)
	}
	return fmt.Sprint(n)
}

// ratio is that of the medians with and without summaries.
func (c *contest) ratio() string {
	with, _ := quantile(c.with, 0.5)
	without, reached := quantile(c.without, 0.5)
	text := fmt.Sprintf("%.2f", float64(with)/float64(without))
	if !reached {
		return "less than " + text
	}
	return text
}

// verdict says whether summaries save half of the evaluations.
func (p *page) verdict() string {
	for i := range p.contests {
		c := &p.contests[i]
		with, there := quantile(c.with, 0.5)
		without, _ := quantile(c.without, 0.5)
		if !there || 2*with > without {
			return "Summaries do not save half of the evaluations through " + c.name + "."
		}
	}
	return "With summaries, the median loop needs at most half of the evaluations."
}

// same says whether the loops of all doors went the same way.
func (p *page) same() string {
	first := fmt.Sprint(p.contests[0].with, p.contests[0].without)
	for _, c := range p.contests[1:] {
		if fmt.Sprint(c.with, c.without) != first {
			return "The numbers of the doors differ."
		}
	}
	return "Each loop needs the same number of evaluations through each door: the answers are the same, and the texts have the same suggestions."
}
