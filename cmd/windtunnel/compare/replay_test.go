// SPDX-License-Identifier: Apache-2.0

package compare

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// unshared is a scenario whose prompts share nothing, as those of an access log.
func unshared(t *testing.T, replicas string) string {
	text := cmdtest.TextOf(t, "../../config/samples/simulationrun-poisson.yaml")
	text = strings.ReplaceAll(text, "        prefix: {group: acme-assistant, tokens: 1024}\n", "")
	text = strings.Replace(text, "      warmup: 5s\n", "", 1)
	text = strings.Replace(text, "replicas: 4", "replicas: "+replicas, 1)
	return cmdtest.TempFile(t, "run.yaml", strings.Replace(text, "    count: 2\n", "    count: 1\n", 1))
}

// accessLog is what an access log would say of requests whose answers took stretch times as long, in the order of their ends,
// with one that was rejected.
func accessLog(t *testing.T, rows []result.RequestRow, stretch float64) string {
	slices.SortFunc(rows, func(a, b result.RequestRow) int {
		return int(math.Copysign(1, a.ArrivalSeconds+*a.E2ESeconds-b.ArrivalSeconds-*b.E2ESeconds))
	})
	start := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	var log strings.Builder
	for _, r := range rows {
		at := start.Add(time.Duration(math.Round(r.ArrivalSeconds * 1e9)))
		fmt.Fprintf(&log, `{"start_time": %q, "duration": %.6f, "response_code": 200, "gen_ai.usage.input_tokens": %d, "gen_ai.usage.output_tokens": %d}`+"\n",
			at.Format(time.RFC3339Nano), *r.E2ESeconds*1e3*stretch, r.PromptTokens, *r.OutputTokens)
	}
	log.WriteString(`{"start_time": "2026-11-28T09:00:01Z", "duration": 1, "response_code": 429, "gen_ai.usage.input_tokens": null, "gen_ai.usage.output_tokens": null}` + "\n")
	return cmdtest.TempFile(t, "access.jsonl", log.String())
}

// TestCompareReplaysALog makes a log of a simulation of A itself. With one replica the mean of its replay is right to 5 digits. Percentiles are those
// of a histogram; with several replicas, scrapes come at other times than they did. Where the answers of the log took
// 1.5 times as long, the error is 1 ÷ 1.5 − 1.
func TestCompareReplaysALog(t *testing.T) {
	scenario := unshared(t, "1")
	file, _ := cmdtest.RequestsOf(t, windtunnel, "run", "-f", scenario)
	rows := cmdtest.ReadRequests(t, file)
	a, b := plainEPP(t), cmdtest.TempFile(t, "b.yaml", otherPicker)
	for stretch, want := range map[float64]float64{1: 0, 1.5: 1/1.5 - 1} {
		args := []string{"compare", scenario, scenario, "--log", accessLog(t, rows, stretch)}
		var out Output
		printed, err := windtunnel(t, append(args, "-o", "json")...)
		if cli.ExitCode(err) == 2 {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(printed), &out); err != nil {
			t.Fatal(err)
		}
		r := out.Replay
		if r.Requests != len(rows)+1 || r.Failed != 1 || r.Unreplayed != 1 || len(r.Metrics) == 0 {
			t.Errorf("the replay is %+v, want %d requests", r, len(rows)+1)
		}
		for _, m := range r.Metrics {
			if !strings.HasPrefix(m.Metric, "e2e.") {
				t.Errorf("an access log does not say %s", m.Metric)
			}
			if m.Metric == "e2e.mean" && math.Abs(*m.Error-want) > 1e-5 || math.Abs(*m.Error-want) > 0.02 {
				t.Errorf("answers of %v times the time: the error of %s is %v, want %v", stretch, m.Metric, *m.Error, want)
			}
		}
	}
	out, err := windtunnel(t, "compare", a, b, "--scenario", unshared(t, "4"), "--log", accessLog(t, rows, 1))
	if cli.ExitCode(err) == 2 {
		t.Fatal(err)
	}
	for _, want := range []string{"1501 requests, of which 1 failed; 1 of those have no numbers of tokens", "beyond the error", "e2e.p99"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output does not say %q:\n%s", want, out)
		}
	}
}

// TestTheLogOfALiveSessionTellsOfAnother has two rehearsals of the EPP of llm-d-router ebab687 before four replicas, with
// the same 600 requests of 24 assistants: A with values.yaml, B with load-only.yaml. Each is one draw of chance. Blocks
// of the logs that are of one prompt alone are left out, and so are all of B, which is not replayed. The limits were set
// when the figures of docs/tasks/what-if.md were known.
func TestTheLogOfALiveSessionTellsOfAnother(t *testing.T) {
	samples := t.TempDir()
	if err := os.CopyFS(samples, os.DirFS("../../config/samples/tasks")); err != nil {
		t.Fatal(err)
	}
	scenario := cmdtest.TempFile(t, "scenario.yaml", strings.Replace(cmdtest.TextOf(t, "../../config/samples/tasks/scenario.yaml"), "blocks: 1500", "blocks: 2000", 1))
	side := func(name string) string { return filepath.Join(samples, name) }
	printed, err := windtunnel(t, "compare", side("values.yaml"), side("load-only.yaml"), "--scenario", scenario, "--log", "compare/testdata/live/a.jsonl.gz", "-o", "json")
	if cli.ExitCode(err) == 2 {
		t.Fatal(err)
	}
	out := jsontest.Decode[Output](t, []byte(printed))
	measured, err := (&compareOptions{log: "compare/testdata/live/b.jsonl.gz"}).readLog()
	if err != nil {
		t.Fatal(err)
	}
	ofB := measured.metrics()
	within := map[string]float64{"ttft.p50": 0.05, "ttft.p99": 0.1, "tpot.mean": 0.02, "e2e.mean": 0.02, "cacheHit.gpu": 0.05}
	for _, m := range out.Replay.Metrics {
		limit, asked := within[m.Metric]
		delete(within, m.Metric)
		if off := m.B/ofB[m.Metric] - 1; asked && (math.Abs(off) > limit || !m.Beyond) {
			t.Errorf("%s of B is %v by the log of A, %v measured, %v apart: want at most %v; beyond the error: %v", m.Metric, m.B, ofB[m.Metric], off, limit, m.Beyond)
		}
	}
	if len(within) > 0 {
		t.Errorf("nothing is said of %v", within)
	}
}

func TestLogsThatCannotBeReplayedAreRefused(t *testing.T) {
	run := "../../config/samples/simulationrun-poisson.yaml"
	log := cmdtest.TempFile(t, "access.jsonl", `{"start_time": "2026-11-28T09:00:01Z", "duration": 1, "gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": 5}`)
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no file":                  {[]string{run, run, "--log", "absent.jsonl"}, "--log: "},
		"no outcomes":              {[]string{run, run, "--log", cmdtest.TempFile(t, "azure.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n")}, "does not say how requests were served"},
		"a side that was measured": {[]string{run, cmdtest.MeasuredReport, "--log", log}, "a Benchmark Report is measured"},
		"a side of a cluster":      {[]string{run, "my-run", "--log", log}, "my-run is an object of a cluster"},
	} {
		if _, err := windtunnel(t, append([]string{"compare"}, tc.args...)...); cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: the error is %v, want %q", name, err, tc.want)
		}
	}
}
