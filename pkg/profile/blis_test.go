// SPDX-License-Identifier: Apache-2.0

package profile_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/profile"
)

const (
	blisHead = "version: '2'\nhorizon: 3600000000\naggregate_rate: 6\n"
	lengths  = "input_distribution: {type: constant, params: {value: 7}}, output_distribution: {type: constant, params: {value: 3}}"
	poisson  = "arrival: {process: poisson}"
)

// blisClients and blisCohorts are workloads of sources that have these fields beside lengths.
func blisClients(fields ...string) string { return blisHead + blisList("clients", fields) }
func blisCohorts(fields ...string) string { return blisHead + blisList("cohorts", fields) }

func blisList(name string, fields []string) string {
	text := name + ":\n"
	for i, f := range fields {
		text += fmt.Sprintf("- {id: %c, %s, %s}\n", 'a'+i, lengths, f)
	}
	return text
}

// converted is what the first source of a workload becomes.
func converted(t *testing.T, text string) (*v1alpha1.Client, *profile.Traffic) {
	t.Helper()
	traffic, errs := profile.Convert([]byte(text), profile.Options{})
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return &traffic.Workload.Clients[0], traffic
}

func TestFieldsOfInferenceSim(t *testing.T) {
	const open = poisson + ", rate_fraction: 1, "
	amount := func(mean string) v1alpha1.Amounts {
		return v1alpha1.Amounts{Distribution: v1alpha1.ConstantAmounts, Mean: v1alpha1.PositiveDecimal(mean)}
	}
	second := v1alpha1.Duration("1s")
	tests := map[string]struct {
		text string
		want func(*v1alpha1.Client) // what differs from a Poisson client of 6 requests/s
	}{
		"a share of the rate of all": {blisClients(open, poisson+", rate_fraction: 2"), func(c *v1alpha1.Client) { c.Arrivals.Rate = "2" }},
		"a class":                    {blisClients(open + "slo_class: batch"), func(c *v1alpha1.Client) { c.Class = "batch" }},
		"no timeout without a wait":  {blisClients(open), func(*v1alpha1.Client) {}},
		"a timeout":                  {blisClients(open + "timeout: 2500000"), func(c *v1alpha1.Client) { c.Timeout = &v1alpha1.Timeout{Total: "2.5s"} }},
		"a closed loop": {blisClients("concurrency: 4, think_time_us: 1000000"), func(c *v1alpha1.Client) {
			c.Arrivals, c.Timeout = v1alpha1.Arrivals{}, &v1alpha1.Timeout{Total: "5m0s"}
			c.ClosedLoop = &v1alpha1.ClosedLoop{Concurrency: 4, RampUp: "1s", ThinkTime: &v1alpha1.Durations{Mean: &second}}
		}},
		"conversations, with their default timeout": {blisClients(open + "reasoning: {multi_turn: {max_rounds: 3, think_time_us: 1000000, context_growth: accumulate}}"), func(c *v1alpha1.Client) {
			c.Timeout = &v1alpha1.Timeout{Total: "5m0s"}
			c.Sessions = &v1alpha1.Sessions{
				Turns: v1alpha1.Lengths{Distribution: v1alpha1.ConstantLengths, Mean: "3"}, ThinkTime: &v1alpha1.Durations{Mean: &second}, Context: v1alpha1.AccumulateContext}
		}},
		"bounds of lengths that need none": {strings.Replace(blisClients(open), "{type: constant, params: {value: 7}}", "{type: exponential, params: {mean: 9, max: 50}}", 1), func(c *v1alpha1.Client) {
			c.InputTokens = v1alpha1.Lengths{Distribution: v1alpha1.ExponentialLengths, Mean: "9", Min: 1, Max: ptr.To[int32](50)}
		}},
		"a prefix without a length": {blisClients(open + "prefix_group: g"), func(c *v1alpha1.Client) { c.Prefix = &v1alpha1.Prefix{Group: "g", Tokens: 50} }},
		"a target of the first token": {blisClients(open + "slo_target_us: 250100"), func(c *v1alpha1.Client) {
			c.Headers = map[string]v1alpha1.HeaderValue{"x-llm-d-slo-ttft-ms": "251"}
		}},
		"windows that do not overlap another's": {blisClients(open+"lifecycle: {windows: [{start_us: 60000000, end_us: 120000000}]}", open+"lifecycle: {windows: [{start_us: 0, end_us: 60000000}]}"), func(c *v1alpha1.Client) {
			c.Arrivals = v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals, Stages: []v1alpha1.RateStage{{Rate: "0", Duration: "1m0s"}, {Rate: "6", Duration: "1m0s"}}}
		}},
		"windows that overlap another's": {blisClients(open+"lifecycle: {windows: [{start_us: 30000000, end_us: 120000000}]}", open+"lifecycle: {windows: [{start_us: 0, end_us: 60000000}]}"), func(c *v1alpha1.Client) {
			c.Arrivals = v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals, Stages: []v1alpha1.RateStage{{Rate: "0", Duration: "30s"}, {Rate: "3", Duration: "1m30s"}}}
		}},
		"windows with rates": {strings.Replace(blisClients(open+"lifecycle: {windows: [{start_us: 0, end_us: 60000000, trace_rate: 0.25}]}"), "aggregate_rate: 6\n", "", 1), func(c *v1alpha1.Client) {
			c.Arrivals = v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals, Stages: []v1alpha1.RateStage{{Rate: "0.25", Duration: "1m0s"}}}
		}},
		"windows with shares of the rate of all": {blisClients(open+"lifecycle: {windows: [{start_us: 0, end_us: 60000000, trace_rate: 5}]}", open+"lifecycle: {windows: [{start_us: 0, end_us: 60000000, trace_rate: 10}]}"), func(c *v1alpha1.Client) {
			c.Arrivals = v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals, Stages: []v1alpha1.RateStage{{Rate: "2", Duration: "1m0s"}}}
		}},
		"images": {blisClients(open + "multimodal: {text_distribution: {type: constant, params: {value: 20}}, image_distribution: {type: constant, params: {value: 576}}, image_count_distribution: {type: constant, params: {value: 2}}}"), func(c *v1alpha1.Client) {
			c.InputTokens.Mean = "20"
			c.Media = []v1alpha1.Media{{Kind: v1alpha1.ImageMedia, Count: amount("2"), Tokens: amount("576")}}
		}},
		"audio of some requests": {blisClients(open + "multimodal: {text_distribution: {type: constant, params: {value: 20}}, audio_distribution: {type: constant, params: {value: 90}}, audio_count_distribution: {type: empirical, params: {'0': 3, '4': 1}}}"), func(c *v1alpha1.Client) {
			c.InputTokens.Mean = "20"
			c.Media = []v1alpha1.Media{{Kind: v1alpha1.AudioMedia, Probability: "0.25", Count: amount("4"), Tokens: amount("90")}}
		}},
		"100000 members of a Poisson cohort": {blisCohorts(open + "population: 100000, adapter: legal"), func(c *v1alpha1.Client) {
			c.Adapter = "legal"
			c.Copies = &v1alpha1.Copies{Count: 100000, Prefixes: v1alpha1.SharedPrefixes, Arrivals: v1alpha1.RandomArrivals, Adapters: v1alpha1.SharedAdapters}
		}},
		"members with processes of their own": {blisCohorts("population: 3, rate_fraction: 1, arrival: {process: constant}, prefix_sharing: per_member, prefix_group: g, prefix_length: 9"), func(c *v1alpha1.Client) {
			c.Arrivals.Process = v1alpha1.ConstantArrivals
			c.Prefix = &v1alpha1.Prefix{Group: "g", Tokens: 9}
			c.Copies = &v1alpha1.Copies{Count: 3, Prefixes: v1alpha1.OwnPrefixes}
		}},
		"a day": {blisCohorts(open + "population: 2, diurnal: {peak_hour: 20, peak_to_trough_ratio: 3}"), func(c *v1alpha1.Client) {
			c.Arrivals.Rate = "4"
			c.Arrivals.Profile = &v1alpha1.LoadProfile{Shape: v1alpha1.DiurnalLoad, At: "20h30m0s", Period: "24h0m0s", PeakToTrough: "3"}
			c.Copies = &v1alpha1.Copies{Count: 2, Prefixes: v1alpha1.SharedPrefixes, Arrivals: v1alpha1.RandomArrivals}
		}},
		"a spike, which is all that a cohort sends": {blisCohorts(open + "population: 2, spike: {start_time_us: 5000000, duration_us: 2500000}"), func(c *v1alpha1.Client) {
			c.Arrivals.Rate, c.Arrivals.Stages = "", []v1alpha1.RateStage{{Rate: "0", Duration: "5s"}, {Rate: "6", Duration: "2.5s"}}
			c.Copies = &v1alpha1.Copies{Count: 2, Prefixes: v1alpha1.SharedPrefixes, Arrivals: v1alpha1.RandomArrivals}
		}},
		"a drain from the start": {blisCohorts(open + "population: 2, drain: {start_time_us: 0, ramp_duration_us: 90000000}"), func(c *v1alpha1.Client) {
			c.Arrivals.Profile = &v1alpha1.LoadProfile{Shape: v1alpha1.DrainLoad, Duration: "1m30s"}
			c.Copies = &v1alpha1.Copies{Count: 2, Prefixes: v1alpha1.SharedPrefixes, Arrivals: v1alpha1.RandomArrivals}
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got, _ := converted(t, tc.text)
			length := func(mean string) v1alpha1.Lengths {
				return v1alpha1.Lengths{Distribution: v1alpha1.ConstantLengths, Mean: v1alpha1.PositiveDecimal(mean)}
			}
			want := &v1alpha1.Client{
				Name: "a", Class: "standard", InputTokens: length("7"), OutputTokens: length("3"),
				Arrivals: v1alpha1.Arrivals{Process: v1alpha1.PoissonArrivals, Rate: "6"},
			}
			tc.want(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the client (-want +got):\n%s", diff)
			}
		})
	}
}

// Members of a diurnal cohort of inference-sim send at the full rate for a part of each
// hour. The hours of the imported profile have as many requests.
func TestADayHasItsRequestsInEachHour(t *testing.T) {
	const ratio, peak = 5.0, 9
	client, _ := converted(t, blisCohorts(poisson+fmt.Sprintf(", rate_fraction: 1, population: 2, diurnal: {peak_hour: %d, peak_to_trough_ratio: %g}", peak, ratio)))
	mean, at := client.Arrivals.Rate.Float(), client.Arrivals.Profile.At.Duration().Hours()
	amplitude := (ratio - 1) / (ratio + 1)
	angle := func(hour float64) float64 { return 2 * math.Pi * (hour - at) / 24 }
	for hour := range 24 {
		active := (1+math.Cos(2*math.Pi*float64(hour-peak)/24))/2*(1-1/ratio) + 1/ratio
		theirs := 6 * active
		ours := mean * (1 + amplitude*(math.Sin(angle(float64(hour+1)))-math.Sin(angle(float64(hour))))*24/(2*math.Pi))
		if math.Abs(ours/theirs-1) > 0.006 {
			t.Errorf("hour %d has %.3f requests/s, and inference-sim sends %.3f", hour, ours, theirs)
		}
	}
}

func TestTargetsOfInferenceSim(t *testing.T) {
	const open = poisson + ", rate_fraction: 1, "
	tests := map[string]struct {
		text    string
		slos    []v1alpha1.SLO
		tenants []v1alpha1.Tenant
	}{
		"one of a class": {blisClients(open+"slo_class: critical, slo_target_us: 250000", open), []v1alpha1.SLO{{Class: "critical", TTFT: "250ms"}}, nil},
		"one of a tenant": {blisClients(open+"tenant_id: gold, slo_target_us: 250000", open), nil,
			[]v1alpha1.Tenant{{Name: "gold", SLO: &v1alpha1.LatencyTargets{TTFT: "250ms"}}}},
		"those of goodput": {"goodput_slo_targets: {batch: {ttft_ms: 800.5, itl_ms: 60, e2e_ms: 9000}, standard: {ttft_ms: 0}}\n" + blisClients(open+"slo_class: batch", open),
			[]v1alpha1.SLO{{Class: "batch", TTFT: "800.5ms", TPOT: "60ms", E2E: "9s"}}, nil},
		"both, of one class": {"goodput_slo_targets: {standard: {itl_ms: 60}}\n" + blisClients(open+"slo_target_us: 1000"),
			[]v1alpha1.SLO{{Class: "standard", TTFT: "1ms", TPOT: "60ms"}}, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, traffic := converted(t, tc.text)
			if diff := cmp.Diff(tc.slos, traffic.SLOs); diff != "" {
				t.Errorf("targets of classes (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.tenants, traffic.Workload.Tenants); diff != "" {
				t.Errorf("tenants (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFoldersOfServeGen(t *testing.T) {
	traces := map[string]struct {
		text string
		want v1alpha1.Trace
		end  string
	}{
		"a folder":          {"horizon: 60000000\nservegen_data: {path: data/day}", v1alpha1.Trace{File: ptr.To("data/day.tar.gz")}, "1m0s"},
		"an archive":        {"horizon: 60000000\nservegen_data: {path: day.tgz}", v1alpha1.Trace{File: ptr.To("day.tgz")}, "1m0s"},
		"a part of the day": {"servegen_data: {path: day.tar, time_window: afternoon}", v1alpha1.Trace{File: ptr.To("day.tar"), Slice: &v1alpha1.TraceSlice{From: "14h0m0s", To: "14h30m0s"}}, "30m0s"},
	}
	for name, tc := range traces {
		t.Run(name, func(t *testing.T) {
			traffic, errs := profile.Convert([]byte("version: '2'\n"+tc.text), profile.Options{})
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			tc.want.Format = v1alpha1.ServeGenTrace
			if diff := cmp.Diff(&tc.want, traffic.Workload.Trace); diff != "" {
				t.Errorf("the trace (-want +got):\n%s", diff)
			}
			if got := string(traffic.Horizon.Duration); got != tc.end {
				t.Errorf("the horizon is %s, want %s", got, tc.end)
			}
		})
	}
}

func TestWhatInferenceSimSaysAndAWorkloadCannot(t *testing.T) {
	const (
		open  = poisson + ", rate_fraction: 1, "
		text  = "text_distribution: {type: constant, params: {value: 20}}"
		gamma = "arrival: {process: gamma, cv: 2}, rate_fraction: 1, "
		perf  = "version: '2'\ninference_perf: {stages: [{rate: 1, duration: 5}], shared_prefix: {num_unique_system_prompts: 2, num_users_per_system_prompt: 2, system_prompt_len: 9, question_len: 5, output_len: 5"
	)
	tests := map[string]struct{ text, want string }{
		"two courses": {blisCohorts(open + "population: 2, drain: {start_time_us: 0, ramp_duration_us: 9}, diurnal: {peak_hour: 1, peak_to_trough_ratio: 2}"),
			"cohorts[0]: Forbidden: a rate has one course: diurnal, spike or drain"},
		"a day beside windows with rates": {blisCohorts(open+"population: 2, diurnal: {peak_hour: 1, peak_to_trough_ratio: 2}", open+"population: 2, spike: {start_time_us: 0, duration_us: 9, trace_rate: 2}"),
			"cohorts[0]: Forbidden: diurnal and drain cannot be carried together with windows with trace_rate, which divide the rate anew for each window"},
		"a client that sends nothing beside windows with rates": {blisClients(open, open+"lifecycle: {windows: [{start_us: 0, end_us: 9, trace_rate: 2}]}"),
			"clients[0].lifecycle: Required value: with windows with trace_rate, inference-sim sends no requests of a client without windows"},
		"a window without a rate": {strings.Replace(blisClients(open+"lifecycle: {windows: [{start_us: 0, end_us: 9, trace_rate: 2}, {start_us: 9, end_us: 20}]}"), "aggregate_rate: 6\n", "", 1),
			"clients[0].lifecycle.windows[1].trace_rate: Required value: needs aggregate_rate, or a rate of its own"},
		"lengths of a window": {blisClients(open + "lifecycle: {windows: [{start_us: 0, end_us: 9, input_distribution: {type: constant, params: {value: 1}}}]}"),
			"clients[0].lifecycle.windows[0].input_distribution: Forbidden: what differs from window to window cannot be carried: make a client of each"},
		"more members than a workload has": {blisCohorts(open+"population: 60000", open+"population: 60000"),
			"cohorts[1].population: Invalid value: 60000: a workload has at most 100000 clients, members of cohorts included"},
		"more members than processes": {blisCohorts(open+"population: 60000", gamma+"population: 10001"),
			"cohorts[1].population: Invalid value: 10001: at most 10000 clients have an arrival process of their own, members of cohorts included; those of a cohort with process poisson need none"},
		"more members than a cohort has": {blisCohorts(open + "population: 100001"), "cohorts[0].population: Invalid value: 100001: must be between 1 and 100000"},
		"a group for nothing":            {blisCohorts(open + "population: 2, prefix_sharing: per_member"), "cohorts[0].prefix_group: Required value: prefix_sharing per_member needs a group"},
		"media without their number":     {blisClients(open + "multimodal: {" + text + ", image_distribution: {type: constant, params: {value: 5}}}"), "clients[0].multimodal.image_count_distribution: Required value"},
		"media without a text": {blisClients(open + "multimodal: {image_distribution: {type: constant, params: {value: 5}}, image_count_distribution: {type: constant, params: {value: 1}}}"),
			"clients[0].multimodal.text_distribution: Required value"},
		"two numbers of media": {blisClients(open + "multimodal: {" + text + ", video_distribution: {type: constant, params: {value: 5}}, video_count_distribution: {type: empirical, params: {'1': 1, '2': 1}}}"),
			"clients[0].multimodal.video_count_distribution.params: Invalid value: 2: must have one number besides 0, at most 100: others cannot be carried"},
		"too many media": {blisClients(open + "multimodal: {" + text + ", video_distribution: {type: constant, params: {value: 5}}, video_count_distribution: {type: constant, params: {value: 101}}}"),
			`clients[0].multimodal.video_count_distribution: Invalid value: "101": must have no number above 100`},
		"a mixture of sizes of media": {blisClients(open + "multimodal: {" + text + ", image_distribution: {type: empirical, params: {'5': 1, '9': 1}}, image_count_distribution: {type: constant, params: {value: 1}}}"),
			`clients[0].multimodal.image_distribution.type: Unsupported value: "empirical": supported values: "constant", "gaussian", "exponential", "lognormal"`},
		"media of conversations": {blisClients(open + "multimodal: {}, reasoning: {multi_turn: {max_rounds: 2}}"),
			"clients[0].multimodal: Forbidden: inference-sim sends no media in conversations and closed loops: leave it out"},
		"targets that neither a class nor a tenant has": {blisClients(open+"slo_target_us: 1000", open+"slo_target_us: 2000"),
			`clients[1].slo_target_us: Invalid value: "2ms": a target is of a class or of a tenant, and other clients of class standard, and of tenant default, have others`},
		"a target of no class": {"goodput_slo_targets: {gold: {ttft_ms: 5}}\n" + blisClients(open),
			"goodput_slo_targets.gold: Forbidden: unknown field; there are background, batch, critical, sheddable, standard"},
		"clients beside inference_perf":          {perf + "}}\nclients: []\ncohorts: [{id: a}]", "clients: Forbidden: cannot be carried together with inference_perf, whose stages have the rate of all requests"},
		"a source that is no object":             {"version: '2'\ninference_perf: s\nhorizon: 1", `inference_perf: Invalid value: "s": must be an object`},
		"conversations of inference_perf":        {perf + ", enable_multi_turn_chat: true}}", "inference_perf.shared_prefix.enable_multi_turn_chat: Forbidden: conversations without end cannot be carried: state client.sessions"},
		"inference_perf without stages":          {strings.Replace(perf, "stages: [{rate: 1, duration: 5}], ", "", 1) + "}}", "inference_perf.stages: Required value: state the stages"},
		"a folder of ServeGen without a path":    {"version: '2'\nhorizon: 1000000\nservegen_data: {}", "servegen_data.path: Required value"},
		"a folder of ServeGen without an end":    {"version: '2'\nservegen_data: {path: a}", "horizon: Required value: state horizon or num_requests: without them the workload has no end"},
		"three times of a day":                   {"version: '2'\nhorizon: 1000000\nservegen_data: {path: a, window_duration_secs: 60}", "servegen_data.window_duration_secs: Forbidden: a part of three times of a day, which inference-sim puts together by its seed, cannot be carried: state time_window, or none for all of the data"},
		"a part of the data without a unit":      {"version: '2'\nhorizon: 1000000\nservegen_data: {path: a, span_start: 60}", "servegen_data.span_start: Forbidden: has no unit that all versions of inference-sim agree on: state slice of the trace"},
		"users beside conversations":             {blisClients("concurrency: 2, reasoning: {multi_turn: {max_rounds: 2}}"), "clients[0].concurrency: Forbidden: inference-sim takes no conversations together with users of a closed loop"},
		"bounds that contradict each other":      {strings.Replace(blisClients(open), "{type: constant, params: {value: 7}}", "{type: lognormal, params: {mu: 1, sigma: 1, min: 9, max: 5}}", 1), "clients[0].input_distribution.params.min: Invalid value: 9: must not be greater than max"},
		"a spike without a duration of a client": {blisClients(open + "spike: {start_time_us: 1}"), "clients[0].spike: Forbidden: unknown field; there are adapter"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			traffic, errs := profile.Convert([]byte(tc.text), profile.Options{})
			if traffic != nil || len(errs) == 0 {
				t.Fatalf("traffic %v beside %v", traffic, errs)
			}
			if got := errs[0].Error(); !strings.HasPrefix(got, tc.want) {
				t.Errorf("the first of %d errors is\n%s\nwant\n%s", len(errs), got, tc.want)
			}
		})
	}
}
