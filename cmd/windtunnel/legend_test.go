// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// The legend stands once below all tables of a command, or not at all; the verdict
// stands above the first table.
func TestLegendOfTables(t *testing.T) {
	const head, line = "\nLegend:\n", "± is half the width"
	run := cmdtest.TempFile(t, "run.yaml", twoSeeds)
	for name, tc := range map[string]struct {
		args []string
		want int
	}{
		"one object":     {[]string{"run", "-f", run}, 1},
		"no legend":      {[]string{"run", "-f", run, "--legend=false"}, 0},
		"two objects":    {[]string{"run", "-f", run, "-f", cmdtest.TempFile(t, "other.yaml", strings.Replace(twoSeeds, "name: small", "name: other", 1))}, 1},
		"JSON has none":  {[]string{"run", "-f", run, "-o", "json"}, 0},
		"of a gated run": {[]string{"run", "-f", cmdtest.TempFile(t, "gated.yaml", twoSeeds+gateOfTwoSeeds)}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			out := mustRun(t, tc.args...)
			if heads, lines := strings.Count(out, head), strings.Count(out, line); heads != tc.want || lines != tc.want {
				t.Errorf("it has %d legends with %d lines on ±, want %d\n%s", heads, lines, tc.want, out)
			}
			_, below, _ := strings.Cut(out, head)
			if strings.Contains(below, "ttft ms") {
				t.Errorf("a table stands below the legend:\n%s", out)
			}
			verdict, table := strings.Index(out, "verdict: pass: the gate passes"), strings.Index(out, "ttft ms")
			if gated := strings.Contains(name, "gated"); gated != (verdict >= 0) || gated && verdict > table {
				t.Errorf("the verdict stands at %d, the table at %d:\n%s", verdict, table, out)
			}
		})
	}
}

// Sweeps, comparisons and lint print the legend last, a long one only if it is asked for, and sweeps and comparisons begin
// with the verdict.
func TestLegendAndVerdictOfEachVerb(t *testing.T) {
	run := cmdtest.TempFile(t, "run.yaml", twoSeeds)
	slower := cmdtest.TempFile(t, "slower.yaml", strings.Replace(twoSeeds, `mean: "200"`, `mean: "400"`, 1))
	for name, tc := range map[string]struct {
		args                   []string
		verdict, legendOfTable string
	}{
		"sweep":   {[]string{"sweep", "-f", cmdtest.GatesSample(t)}, "verdict: ", "± is half the width"},
		"compare": {[]string{"compare", run, slower}, "verdict: ", "Difference is "},
		"lint":    {[]string{"lint", cmdtest.TempFile(t, "epp.yaml", cmdtest.SmallPicker)}, "", "> marks the versions"},
	} {
		t.Run(name, func(t *testing.T) {
			out := mustRun(t, append(tc.args, "--legend")...)
			text, legend, found := strings.Cut(out, "\nLegend:\n")
			if !found || !strings.Contains(legend, tc.legendOfTable) || strings.Contains(text, tc.legendOfTable) {
				t.Errorf("the legend is not the end:\n%s", out)
			}
			if _, rest, _ := strings.Cut(text, "verdict: "); tc.verdict != "" && len(rest) < len(text)/2 {
				t.Errorf("the verdict is not the beginning:\n%s", out)
			}
			unasked := mustRun(t, tc.args...)
			if long := strings.Count(legend, "\n") > 2; long == strings.Contains(unasked, "Legend:") || long != strings.HasSuffix(unasked, "--legend explains the columns and marks.\n") {
				t.Errorf("unasked, a long legend is printed, or a short one is not:\n%s", unasked)
			}
			without := mustRun(t, append(tc.args, "--legend=false")...)
			if strings.Contains(without, "Legend:") || strings.Contains(without, tc.legendOfTable) {
				t.Errorf("--legend=false leaves a legend:\n%s", without)
			}
		})
	}
}

const gateOfTwoSeeds = `  gates:
  - {name: served, metric: completionRate, operator: AtLeast, value: 99%, confidence: "0.95"}
`

const twoSeeds = `apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: small}
spec:
  scenario:
    horizon: {requests: 40}
    pools:
    - {name: llama, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm}
    router: {policies: {routing: {policy: random}}}
    workload:
      clients:
      - {name: chat, arrivals: {rate: "4"}, inputTokens: {mean: "200"}, outputTokens: {mean: "20"}}
  replications: {count: 2}
`
