// SPDX-License-Identifier: Apache-2.0

package observe_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/observe"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// measured plays a cluster for two hours, as its own replicas show it.
func measured(t *testing.T, settings ...compile.Setting) *observe.Recording {
	t.Helper()
	stage := stageOf(2)
	stage.ByReplica = true
	r, err := stage.Play(t.Context(), scenario(t, settings...), 7001, observe.AsStated())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// observer holds what the tests' scenario predicts.
func observer(t *testing.T) *observe.Observer {
	t.Helper()
	return &observe.Observer{Run: "cluster", Make: scenario(t), WarmUp: 20 * time.Second, Rules: rules, Options: *options(20)}
}

func mustObserve(t *testing.T, r *observe.Recording) *observe.Report {
	t.Helper()
	report, err := observer(t).Observe(t.Context(), stageOf(2).Window, r)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// without leaves series out by their metrics.
func without(r *observe.Recording, leftOut func(metric string) bool) *observe.Recording {
	return &observe.Recording{Series: slices.DeleteFunc(slices.Clone(r.Series), func(s observe.Series) bool { return leftOut(s.Metric) })}
}

func TestWhatIsMissingIsNamed(t *testing.T) {
	r := measured(t)
	report := mustObserve(t, without(r, func(metric string) bool {
		return strings.HasPrefix(metric, "llm_d_epp") || strings.HasPrefix(metric, "vllm:e2e")
	}))
	notes := strings.Join(report.Notes, "\n")
	for _, want := range []string{
		"there is no llm_d_epp_request_total or inference_objective_request_total or inference_model_request_total, and so no arrivalRate",
		"there is no vllm:e2e_request_latency_seconds, and so no e2e",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no note says %q:\n%s", want, notes)
		}
	}
	if report.Drift || len(report.Checks) < 40 || slices.ContainsFunc(report.Checks, func(c observe.Check) bool { return c.Metric == "e2e" }) {
		t.Errorf("drift %v, %d checks", report.Drift, len(report.Checks))
	}
	_, err := observer(t).Observe(t.Context(), stageOf(2).Window, without(r, func(string) bool { return true }))
	if !errors.Is(err, observe.ErrNothingMeasured) {
		t.Errorf("without any metric: error %v", err)
	}
}

// TestOlderNamesAreKnown renames metrics as older versions of vLLM and of the EPP have them.
func TestOlderNamesAreKnown(t *testing.T) {
	r := measured(t)
	names := strings.NewReplacer(
		"vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds", "vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc",
		"llm_d_epp_request_total", "inference_model_request_total", "llm_d_epp_average_queue_size", "inference_pool_average_queue_size",
	)
	want, _ := stageOf(2).Window.Figures(r, observe.Measures())
	for i := range r.Series {
		r.Series[i].Metric = names.Replace(r.Series[i].Metric)
	}
	got, notes := stageOf(2).Window.Figures(r, observe.Measures())
	for name, figures := range want {
		for hour, f := range figures {
			if got[name][hour] == nil || got[name][hour].Value != f.Value {
				t.Errorf("%s differs in hour %d; notes %v", name, hour, notes)
			}
		}
	}
}

// TestResetsChangeNothing lets each replica restart within the window, and Prometheus miss nothing
// but what was counted since the scrape before.
func TestResetsChangeNothing(t *testing.T) {
	r := measured(t)
	measures := observe.Measures()
	want, _ := stageOf(2).Window.Figures(r, measures)
	for i := range r.Series {
		s := &r.Series[i]
		if !strings.HasPrefix(s.Metric, "vllm:num_") && !strings.HasPrefix(s.Metric, "vllm:kv") && s.Labels["pod"] != "" {
			for before, k := s.Points[17].Value, 18; k < len(s.Points); k++ {
				s.Points[k].Value -= before
			}
		}
	}
	got, _ := stageOf(2).Window.Figures(r, measures)
	for name, figures := range want {
		for hour, f := range figures {
			if math.Abs(got[name][hour].Value-f.Value) > 0.01*f.Value {
				t.Errorf("%s in hour %d is %v, and was %v before the reset", name, hour, got[name][hour].Value, f.Value)
			}
		}
	}
}

// TestGapsAreLeftOut takes a third of the second hour away.
func TestGapsAreLeftOut(t *testing.T) {
	r := measured(t)
	gap := stageOf(2).Window.Start(1).Add(time.Minute).UnixMilli()
	for i := range r.Series {
		r.Series[i].Points = slices.DeleteFunc(r.Series[i].Points, func(p observe.Sample) bool { return p.At >= gap && p.At < gap+60_000 })
	}
	figures, notes := stageOf(2).Window.Figures(r, observe.Measures())
	if figures["ttft"][0] == nil || figures["ttft"][1] != nil {
		t.Errorf("ttft is %v", figures["ttft"])
	}
	if !slices.Contains(notes, "ttft: 1 of 2 hours have samples for less than 90 % of their time, and are left out") {
		t.Errorf("notes %q", notes)
	}
}

func TestWindows(t *testing.T) {
	from := monday
	for name, tc := range map[string]struct {
		lasts, every, interval time.Duration
		hours                  int
		want                   string
	}{
		"six hours":                            {6 * time.Hour, time.Hour, 15 * time.Second, 6, ""},
		"an hour unless told otherwise":        {150 * time.Minute, 0, 15 * time.Second, 2, ""},
		"a short window is an hour":            {10 * time.Minute, 0, 15 * time.Second, 1, ""},
		"a last sample before the end":         {2*time.Hour - 15*time.Second, time.Hour, 15 * time.Second, 2, ""},
		"nothing":                              {0, time.Hour, 15 * time.Second, 0, "the window is empty"},
		"an end before the beginning":          {-time.Hour, time.Hour, 15 * time.Second, 0, "the window is empty"},
		"one sample":                           {time.Hour, time.Hour, 0, 0, "no series has two samples"},
		"less than from one sample to another": {10 * time.Second, 0, 15 * time.Second, 0, "the window of 10s is shorter than the 15s between two samples"},
		"less than an hour":                    {time.Minute, time.Hour, 15 * time.Second, 0, "the window of 1m0s, from --from or --last to --to, is shorter than the 1h0m0s of --every"},
		"hours of three samples":               {time.Hour, 45 * time.Second, 15 * time.Second, 0, "an hour of 45s has fewer than 4 samples"},
		"too many hours":                       {2000 * time.Hour, time.Hour, 15 * time.Second, 0, "2000 hours of 1h0m0s, and 1000 are possible"},
	} {
		w, err := observe.NewWindow(from, from.Add(tc.lasts), tc.every, tc.interval)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) || w.Hours != tc.hours {
			t.Errorf("%s: %d hours, error %v; want %d, %q", name, w.Hours, err, tc.hours, tc.want)
		}
	}
}

// TestReportsAsMetrics has a run with a name that needs escapes.
func TestReportsAsMetrics(t *testing.T) {
	report := mustObserve(t, measured(t, compile.Setting{Path: "workload.clients[chat].arrivals.rate", Value: "20"}))
	report.Run = "a \"b\"\\\n"
	var text bytes.Buffer
	if err := report.WriteMetrics(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# TYPE windtunnel_prediction_error_ratio gauge\n",
		`windtunnel_prediction_error_ratio{run="a \"b\"\\\n",metric="ttft",quantile="0.99"} `,
		`windtunnel_prediction_drift{run="a \"b\"\\\n"} 1` + "\n",
		`windtunnel_prediction_explained_ratio{run="a \"b\"\\\n",assumption="traffic"} 0.`,
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the metrics lack %s:\n%s", want, &text)
		}
	}
	for line := range strings.Lines(text.String()) {
		if name, _, sample := strings.Cut(line, "{"); sample && !slices.ContainsFunc(observe.Exports(), func(e observe.Exported) bool { return e.Name == name }) {
			t.Errorf("%s is not among those that are exported", name)
		}
	}
}

// TestTheTableNamesTheCause reads what people read.
func TestTheTableNamesTheCause(t *testing.T) {
	report := mustObserve(t, measured(t, compile.Setting{Path: "workload.clients[chat].arrivals.rate", Value: "20"}))
	var text bytes.Buffer
	if err := report.WriteTable(&text, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"cluster: drift, mainly in the traffic. ", "\ntraffic ", "arrivalRate /s", "error by hour", "08:03", " !"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, &text)
		}
	}
}

// shortSource ends after some requests, as a trace does.
type shortSource struct {
	workload.Source
	left int
}

// Next implements [workload.Source].
func (s *shortSource) Next() (workload.Request, bool) {
	s.left--
	if s.left < 0 {
		return workload.Request{}, false
	}
	return s.Source.Next()
}

func TestTrafficThatEndsIsAnError(t *testing.T) {
	o := observer(t)
	whole := o.Make
	o.Make = func(seed int64) (simulator.Config, error) {
		c, err := whole(seed)
		c.Source = &shortSource{c.Source, 1000}
		return c, err
	}
	_, err := o.Observe(t.Context(), stageOf(2).Window, measured(t))
	var short *observe.NoTrafficError
	if !errors.As(err, &short) {
		t.Fatalf("error %v", err)
	}
	if want := "but 6m0s of traffic are needed: take shorter hours"; !strings.Contains(err.Error(), want) {
		t.Errorf("error %q, want one with %q", err, want)
	}
}
