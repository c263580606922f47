// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"path/filepath"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/cmd/windtunnel/run"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

func TestCompareSetsARunAgainstAReport(t *testing.T) {
	out := jsontest.Decode[measuredContrast](t, []byte(mustRun(t, "compare", "testdata/run.yaml", cmdtest.MeasuredReport, "-o", "json")))
	simulated := jsontest.Decode[run.Output](t, []byte(mustRun(t, "run", "-f", "testdata/run.yaml", "-o", "json")))
	if out.Sides[0].Measured || !out.Sides[1].Measured || out.Sides[1].Simulated {
		t.Errorf("sides %+v", out.Sides)
	}
	byName := map[string]measuredMetric{}
	for _, m := range out.Metrics {
		byName[m.Metric] = m
	}
	if len(byName) != 16 {
		t.Errorf("%d metrics are compared: %v", len(byName), byName)
	}
	var seeds []float64
	for i := range simulated.Rows {
		value, _ := simulated.Rows[i].Metrics.Get("ttft.p99")
		seeds = append(seeds, value)
	}
	m := byName["ttft.p99"]
	if m.Means[0] != stats.MeanInterval(seeds, result.Confidence).Mean || m.Means[1] != 0.28725 {
		t.Errorf("the p99 of TTFT is %v", m.Means)
	}
	if m.Predicted == nil || *m.Inside != (m.Means[1] >= m.Predicted[0] && m.Means[1] <= m.Predicted[1]) || m.Predicted[0] > min(seeds[0], seeds[1]) || m.Predicted[1] < max(seeds[0], seeds[1]) {
		t.Errorf("seeds %v predict %v", seeds, m.Predicted)
	}
}

func TestCompareSaysWhatAReportLacks(t *testing.T) {
	folder := t.TempDir()
	ours := filepath.Join(folder, "benchmark_report_v0.2_ours.yaml")
	testfile.Write(t, ours, []byte(mustRun(t, "run", "-f", "testdata/run.yaml", "-o", "benchmark-report")))
	for name, tc := range map[string]struct {
		args []string
		want []string
	}{
		"a run and a report": {[]string{"testdata/run.yaml", cmdtest.MeasuredReport}, []string{
			"B is a measured report: 300 requests, 6 requests per second, by inference-perf 0.3.0.",
			"B lacks what A has: ttft.p95, engineTtft, tpot.p90,", "goodput", "throughput.inputTokens", "network included",
		}},
		"a report and a run": {[]string{cmdtest.MeasuredReport, "testdata/run.yaml"}, []string{"A is a measured report", "A lacks what B has"}},
		"our own":            {[]string{ours, cmdtest.MeasuredReport}, []string{"A is a report of a simulation: 240 requests", "–"}},
		"EPP configurations of a scenario with gates": {[]string{cmdtest.MeasuredReport, plainEPP(t), "--scenario", cmdtest.GatesSample(t)}, []string{"are not judged: a Benchmark Report has no seeds"}},
	} {
		out := mustRun(t, append([]string{"compare"}, tc.args...)...)
		for _, want := range tc.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: the output does not say %q:\n%s", name, want, out)
			}
		}
	}
}

// plainEPP is an EPP configuration.
func plainEPP(t *testing.T) string {
	t.Helper()
	return cmdtest.TempFile(t, "epp.yaml", "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n- type: queue-scorer\n")
}

func TestCompareReadsThePublishedExample(t *testing.T) {
	out := mustRun(t, "compare", "testdata/run.yaml", filepath.Join(cmdtest.PublishedReports(t), "example.yaml"))
	for _, want := range []string{"500 requests", "by inference-perf 0.3.0", "ttft.p99 ms", "50.3", "kvUsage.mean %", "42.50"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output does not say %q:\n%s", want, out)
		}
	}
}

func TestCompareRefusesReportsThatAreNone(t *testing.T) {
	whole := cmdtest.TextOf(t, cmdtest.MeasuredReport)
	for name, tc := range map[string]struct {
		text string
		args []string
		want string
	}{
		"a later version":      {strings.Replace(whole, "version: 0.2.1", "version: 0.3.0", 1), nil, `version: Unsupported value: "0.3.0"`},
		"a TTFT in watts":      {strings.Replace(whole, "units: ms,", "units: Watts,", 1), nil, `time_to_first_token.units: Unsupported value: "Watts"`},
		"no uid":               {strings.Replace(whole, "  uid:", "  eid2:", 1), nil, "run.uid: Required value"},
		"cut off":              {whole[:len(whole)/2], nil, "is no Benchmark Report that this command reads"},
		"not YAML":             {"{", nil, "report: Invalid value: is not YAML"},
		"a list":               {"- a\n", nil, "must be an object with version, run, scenario and results"},
		"a gate":               {whole, []string{"--gate", "ttft.p99<=1s"}, "a Benchmark Report is one measurement without seeds"},
		"a report to a report": {whole, []string{"--report", filepath.Join(t.TempDir(), "r.md")}, "a Benchmark Report is one measurement without seeds"},
	} {
		t.Run(name, func(t *testing.T) {
			file := cmdtest.TempFile(t, "benchmark_report_v0.2_x.yaml", tc.text)
			out, err := windtunnel(t, append([]string{"compare", "testdata/run.yaml", file}, tc.args...)...)
			if cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) || out != "" {
				t.Errorf("exit code %d, %v, output %q; want %s", cli.ExitCode(err), err, out, tc.want)
			}
		})
	}
}
