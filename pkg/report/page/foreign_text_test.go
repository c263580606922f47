// SPDX-License-Identifier: Apache-2.0

package page

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// hostile clears a screen, turns the direction of writing, ends a block of code and a script, and is
// HTML and Markdown that says that all is well.
const hostile = "\x1b[2J\u202e\u009b2J```</script><img src=x>|\r\n# **PASS**"

// controls are the characters that a reader does not see as they are.
var controls = regexp.MustCompile("[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")

// blocks are those of code, whose fences are longer than those in them.
var blocks = regexp.MustCompile("(?s)\n````[a-z]*\n.*?\n````\n")

// What a proposer notes, a value of a ConfigMap, and the text of a policy are data in both formats.
func TestReportsOfForeignTextsArePrintable(t *testing.T) {
	ttft := result.Of(result.MustParseMetric("ttft.p99"))
	best := result.Ranked{Rank: 1, Standing: result.Feasible, Metrics: result.Intervals{"ttft.p99": stats.Interval{Mean: 1, Low: 1, High: 1, N: 2}}}
	best.Parameters = []result.Assignment{{Name: "text", Value: hostile}}
	of := &Sweep{Report: &report.Sweep{
		Title: hostile, Top: 10, Policy: hostile, Steps: []string{hostile}, Warnings: []string{hostile}, Approximations: []string{hostile},
		Assumptions: []string{hostile}, StepTimes: []string{hostile}, Diffs: []report.Diff{{Title: hostile, Text: "+" + hostile}},
		Gates: []result.GateResult{{Gate: result.Gate{Name: "fast", Measure: ttft}, Verdict: verdict.Fail, Message: hostile, N: 2}},
		Board: &result.Leaderboard{Seeds: []int64{1, 2}, Objectives: []result.Objective{{Measure: ttft, Direction: result.Minimize}}, Candidates: []result.Ranked{best}},
	}}
	var markdown, html bytes.Buffer
	if err := of.Markdown(&markdown); err != nil {
		t.Fatal(err)
	}
	if err := of.Write(&html); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text  string
		wrong []string
	}{
		"Markdown": {blocks.ReplaceAllString(markdown.String(), "\n"), []string{"\n# **PASS", " **PASS**"}},
		"the page": {html.String(), []string{"<img src=x", "```</script>"}},
	} {
		if at := controls.FindStringIndex(c.text); at != nil {
			t.Errorf("%s: a reader does not see %q", name, c.text[max(0, at[0]-60):min(len(c.text), at[1]+60)])
		}
		if !strings.Contains(c.text, "PASS") {
			t.Errorf("%s has no word of it", name)
		}
		for _, wrong := range c.wrong {
			if _, after, found := strings.Cut(c.text, wrong); found {
				before, _, _ := strings.Cut(c.text, wrong)
				t.Errorf("%s has %q: %q", name, wrong, before[max(0, len(before)-200):]+wrong+after[:min(len(after), 100)])
			}
		}
	}
}
