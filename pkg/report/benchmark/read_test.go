// SPDX-License-Identifier: Apache-2.0

package benchmark

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
)

// measured is a report with units other than Windtunnel's.
func measured(t testing.TB) string {
	t.Helper()
	return string(testfile.Read(t, "testdata/measured.yaml"))
}

// published is the example of llm-d-benchmark.
func published(t testing.TB) string {
	t.Helper()
	data := os.Getenv("WINDTUNNEL_DATA")
	if data == "" {
		t.Skip("WINDTUNNEL_DATA names no folder with the published example")
	}
	return string(testfile.Read(t, filepath.Join(data, "benchmark-report", "example.yaml")))
}

func mustRead(t testing.TB, text string) *Report {
	t.Helper()
	r, errs := Read([]byte(text))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return r
}

func mustEncode(t testing.TB, r *Report) string {
	t.Helper()
	raw, err := r.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestMetricsAreInTheUnitsOfResults(t *testing.T) {
	want := map[string]float64{
		"ttft.mean": 0.0975, "ttft.p50": 0.086, "ttft.p90": 0.173, "ttft.p99": 0.28725, "ttft.max": 0.41,
		"tpot.mean": 0.01475, "tpot.p50": 0.0145, "e2e.mean": 2.4, "e2e.p50": 2.375, "e2e.p90": 4,
		"throughput.requests": 5.9, "throughput.outputTokens": 944,
		"completionRate": 0.99, "unfinishedRate": 0, "rejectionRate": 0.01, "kvUsage.mean": 0.425,
	}
	got := mustRead(t, measured(t)).Metrics()
	if diff := cmp.Diff(want, got, approximately); diff != "" {
		t.Errorf("metrics (−want +got):\n%s", diff)
	}
}

var approximately = cmp.Comparer(func(a, b float64) bool { return a == b || a > b*(1-1e-12) && a < b*(1+1e-12) })

func TestReportsSurviveReadingAndWriting(t *testing.T) {
	for name, text := range map[string]func(testing.TB) string{"ours": measured, "the published example": published} {
		t.Run(name, func(t *testing.T) {
			first := mustRead(t, text(t))
			once := mustEncode(t, first)
			second := mustRead(t, once)
			if diff := cmp.Diff(first, second); diff != "" {
				t.Errorf("what was written reads otherwise (−first +second):\n%s", diff)
			}
			if twice := mustEncode(t, second); twice != once {
				t.Errorf("written again, the bytes are others:\n%s", cmp.Diff(once, twice))
			}
		})
	}
}

func TestThePublishedExampleHasItsFigures(t *testing.T) {
	r := mustRead(t, published(t))
	if got := r.Metrics()["ttft.p99"]; got != 0.05029489721637218 {
		t.Errorf("the TTFT's p99 is %v", got)
	}
	if len(r.Engines()) != 1 || r.Engines()[0].Replicas != 2 || r.Results.SessionPerformance.Sessions.Total != 112 {
		t.Error("engines or sessions are others")
	}
}

// Each case replaces a text of the report, and is refused with these errors, all at once.
func TestRefusals(t *testing.T) {
	for name, tc := range map[string]struct {
		replace []string
		want    string
	}{
		"a later version":            {[]string{"version: 0.2.1", "version: 0.3"}, `version: Unsupported value: "0.3": supported values: "0.2", "0.2.*"`},
		"an earlier version":         {[]string{"version: 0.2.1", "version: '0.1'"}, `version: Unsupported value: "0.1"`},
		"a version that only begins": {[]string{"version: 0.2.1", "version: 0.21"}, `version: Unsupported value: "0.21"`},
		"no version":                 {[]string{"version: 0.2.1\n", ""}, `version: Required value`},
		"a version in a list":        {[]string{"version: 0.2.1", "version: [0.2.1]"}, `version: Unsupported value: ""`},
		"no uid":                     {[]string{"  uid: 5d2a7c1e\n", ""}, `run.uid: Required value: the object of line 4 lacks it`},
		"a uid that is a number":     {[]string{"uid: 5d2a7c1e", "uid: 5"}, `run.uid: Invalid value: "5": line 4: must be a text`},
		"a unit of another field":    {[]string{"{units: ms, mean: 97.5", "{units: Watts, mean: 97.5"}, `results.request_performance.aggregate.latency.time_to_first_token.units: Unsupported value: "Watts": supported values: "ms", "s"`},
		"ms where ms/token is due":   {[]string{"units: ms/token", "units: ms"}, `time_per_output_token.units: Unsupported value: "ms": supported values: "ms/token", "s/token"`},
		"a unit of a series":         {[]string{"          units: ms\n", "          units: count\n"}, `results.request_performance.time_series.latency.time_to_first_token.units: Unsupported value: "count"`},
		"no unit":                    {[]string{"{units: ms, mean: 97.5", "{mean: 97.5"}, `time_to_first_token.units: Required value`},
		"no mean":                    {[]string{"units: queries/s, mean: 5.9", "units: queries/s"}, `request_rate.mean: Required value`},
		"NaN":                        {[]string{"mean: 97.5", "mean: .nan"}, `time_to_first_token.mean: Invalid value: ".nan": line 51: must be a finite number`},
		"an infinity":                {[]string{"p90: 173", "p90: .inf"}, `time_to_first_token.p90: Invalid value: ".inf": line 51: must be a finite number`},
		"NaN in a free part":         {[]string{"2.5, true", ".nan, true"}, `results.profiling: Invalid value: line 73: must hold no NaN`},
		"a negative time":            {[]string{"p90: 173", "p90: -1"}, `time_to_first_token.p90: Invalid value: "-1": line 51: must be at least 0`},
		"a number in quotes":         {[]string{"mean: 97.5", "mean: '97.5'"}, `time_to_first_token.mean: Invalid value: "97.5": line 51: must be a number`},
		"half a request":             {[]string{"total: 300", "total: 300.5"}, `requests.total: Invalid value: "300.5": line 46: must be a whole number`},
		"an unknown field":           {[]string{"  eid: 90ab", "  experiment: 90ab"}, `run.experiment: Forbidden: line 5: unknown field; there are uid, eid`},
		"an unknown statistic":       {[]string{"mean: 97.5,", "mean: 97.5, ci95: 1,"}, `time_to_first_token.ci95: Forbidden: line 51: unknown field`},
		"a field twice":              {[]string{"  eid: 90ab", "  uid: again"}, `run.uid: Duplicate value: "line 5"`},
		"a role of another schema":   {[]string{"role: replica", "role: aggregate"}, `role: Unsupported value: "aggregate": supported values: "replica", "prefill", "decode"`},
		"no replicas":                {[]string{"replicas: 1", "replicas: 0"}, `replicas: Invalid value: "0": line 19: must be at least 1`},
		"a rate of 0":                {[]string{"rate_qps: 6", "rate_qps: 0"}, `rate_qps: Invalid value: "0": line 39: must be greater than 0`},
		"half a user":                {[]string{"concurrency: .inf", "concurrency: 1.5"}, `concurrency: Invalid value: "1.5": line 40: must be a whole number or .inf`},
		"a component of no kind":     {[]string{"kind: generic, ", ""}, `scenario.stack[1].standardized: Invalid value: line 29: must be an object with a kind, generic or inference_engine`},
		"a time that is none":        {[]string{"'2026-02-03T10:00:50Z'", "yesterday"}, `run.time.end: Invalid value: "yesterday": line 9: must be a time such as`},
		"a text in place of a list":  {[]string{"    components:\n    - component_label: vllm", "    components: vllm\n    x:\n    - component_label: vllm"}, `results.observability.components: Invalid value: "vllm": line 65: must be a list`},
		"null where it is required":  {[]string{"native: {}", "native: null"}, `scenario.load.native: Invalid value: "null": line 41: must be an object with args, envars, config`},
		"an alias":                   {[]string{"uid: 5d2a7c1e", "uid: &u a", "eid: 90ab", "eid: *u"}, `run.eid: Invalid value: line 5: must be the value itself`},
		"two documents":              {[]string{"results:", "---\nresults:"}, `report: Invalid value: must be one YAML document`},
	} {
		t.Run(name, func(t *testing.T) {
			text := measured(t)
			for i := 0; i < len(tc.replace); i += 2 {
				if !strings.Contains(text, tc.replace[i]) {
					t.Fatalf("the report does not hold %q", tc.replace[i])
				}
				text = strings.Replace(text, tc.replace[i], tc.replace[i+1], 1)
			}
			r, errs := Read([]byte(text))
			if r != nil || len(errs) != 1 || !strings.Contains(errs.ToAggregate().Error(), tc.want) {
				t.Errorf("%v, want %s", errs.ToAggregate(), tc.want)
			}
		})
	}
}

func TestWhatIsNoReport(t *testing.T) {
	whole := measured(t)
	for name, tc := range map[string]struct{ text, want string }{
		"empty":             {"", "report: Invalid value: is empty"},
		"not YAML":          {"version: 0.2.1\nrun: {uid: a\n", "report: Invalid value: is not YAML: "},
		"a list":            {"- version: 0.2.1\n", "report: Invalid value: must be an object with version, run, scenario and results"},
		"a text":            {"report", "must be an object with"},
		"cut off at a line": {whole[:strings.Index(whole, "results:")], "results: Required value: the object of line 2 lacks it"},
		"cut off in a line": {whole[:strings.Index(whole, "p99: 287")], "is not YAML"},
		"too long":          {whole + strings.Repeat("#", MaxBytes), "a report has at most 16777216"},
		"aliases that grow": {"version: 0.2.1\nrun: {uid: a}\nresults:\n  profiling:\n    a: &a [x,x,x,x,x,x,x,x,x,x]\n    b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n    c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n    d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n    e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n    f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n    g: [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]\n", "excessive aliasing"},
	} {
		t.Run(name, func(t *testing.T) {
			r, errs := Read([]byte(tc.text))
			if r != nil || len(errs) != 1 || !strings.Contains(errs.ToAggregate().Error(), tc.want) {
				t.Errorf("%v, want %s", errs.ToAggregate(), tc.want)
			}
		})
	}
}

func TestFaultsAreBounded(t *testing.T) {
	text := measured(t)
	for i := range 1000 {
		text += "unknown" + string(rune('a'+i%26)) + strings.Repeat("x", i) + ": 1\n"
	}
	if _, errs := Read([]byte(text)); len(errs) != maxFaults {
		t.Errorf("%d faults, want %d", len(errs), maxFaults)
	}
}

func TestLooks(t *testing.T) {
	for text, want := range map[string]bool{
		"version: 0.2.1\nrun: {uid: a}\n":                   true,
		"results: {}\n":                                     true,
		"apiVersion: v1\nkind: X\nresults: {}\n":            false,
		"plugins:\n- type: queue-scorer\n  results: none\n": false,
		"": false,
	} {
		if Looks([]byte(text)) != want {
			t.Errorf("Looks(%q) is %v", text, !want)
		}
	}
}
