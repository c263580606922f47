// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
)

// n replicas answer n ÷ 1.5 requests a second for ever. With more, the wait of each further
// request grows. So 1 request/s needs 2 replicas, which bear 1.33 requests/s; 2 requests/s
// need 3, which bear exactly these and answer each request in 1.5 s.
func TestSizeOfPoolsByHand(t *testing.T) {
	run := cmdtest.TempFile(t, "run.yaml", cmdtest.Clockwork)
	sweep := cmdtest.TempFile(t, "sweep.yaml", strings.Replace(strings.Replace(cmdtest.Clockwork, "SimulationRun", "PolicySweep", 1),
		"  gates:\n  - {name: fast, metric: e2e.max, operator: AtMost, value: 2s, confidence: \"0.95\"}\n", `  parameters:
  - {name: size, path: "pools[pool].replicas", range: {min: "1", max: "16", step: "1"}}
  - {name: rate, path: "workload.clients[clock].arrivals.rate", range: {min: "0.1", max: "50", scale: Log}}
  replications: {count: 3}
  constraints: [{metric: e2e.max, operator: AtMost, value: 2s}]
  search:
    algorithm: Capacity
    capacity: {load: rate, precision: 5%, demand: {load: "1", replicas: size}}
`, 1))
	routed := cmdtest.TempFile(t, "routed.yaml", strings.Replace(cmdtest.Clockwork, "    router:\n      policies:\n        routing: {policy: round-robin}\n", `    - {name: idle, model: meta-llama/Llama-3.1-8B-Instruct, accelerator: h100-sxm, costPerReplicaHour: "2.5"}
    routers:
    - {name: pool, model: meta-llama/Llama-3.1-8B-Instruct, pools: [pool], policies: {routing: {policy: round-robin}}}
    - {name: idle, model: meta-llama/Llama-3.1-8B-Instruct, pools: [idle], policies: {routing: {policy: round-robin}}}
    route: {backends: [{router: pool, weight: 100}, {router: idle, weight: 0}]}
`, 1))
	for name, tc := range map[string]struct {
		args []string
		want []string
		code int
	}{
		"the SLOs are the gates": {
			[]string{"size", "-f", run}, []string{
				"verdict: pass: 2 replicas meet the demand of 1 requests/s, with 1.3 times to spare (1.3 requests/s); 3 survive a failure\n",
				"1 replicas=2 load=1 met 5.00 1.29684 – 1.35425 1500 ± 0", "2 replicas=3 load=1 met, survives 7.50 ≥ 1 1500 ± 0",
				"3 replicas=1 load=1 not met 2.50 < 1 101000 ± 0 ✗",
			}, cli.ExitOK,
		},
		"a PolicySweep with a demand": {
			[]string{"sweep", "-f", sweep}, []string{"verdict: not judged: no gates are stated; 2 replicas meet the demand of 1 requests/s, with 1.3 times to spare (1.3 requests/s); 3 survive a failure\n"}, cli.ExitOK,
		},
		"with headroom and a failure": {
			[]string{"size", "-f", run, "--slo", "e2e.max=2s", "--headroom", "100%", "--survive", "1"},
			[]string{"verdict: pass: 4 replicas meet the demand of 1 requests/s with a headroom of 100% and survive a failure, with 2.", "while none fails, 3 are enough"}, cli.ExitOK,
		},
		"a limit that no pool meets": {
			[]string{"size", "-f", run, "--slo", "e2e.max<=1s", "--max-replicas", "4"},
			[]string{"verdict: fail: no pool of up to 4 replicas meets the demand of 1 requests/s, and even at 0.0156 requests/s it does not, so that more replicas do not help"}, cli.ExitFailed,
		},
		"too few replicas": {
			[]string{"size", "-f", run, "--max-replicas", "1"}, []string{"verdict: fail: no pool of up to 1 replica meets the demand of 1 requests/s; the largest bears 0.6"}, cli.ExitFailed,
		},
		"a bound from below": {
			[]string{"size", "-f", run, "--slo", "throughput.requests=0.95"}, []string{"verdict: pass: 2 replicas meet"}, cli.ExitOK,
		},
		"a pool to which a route sends everything": {
			[]string{"size", "-f", routed, "--pool", "pool"}, []string{"verdict: pass: 2 replicas meet the demand of 1 requests/s, with 1.3 times to spare (1.3 requests/s); 3 survive a failure\n"}, cli.ExitOK,
		},
		"a route, and no pool": {[]string{"size", "-f", routed}, nil, cli.ExitBadInput},
		"JSON": {
			[]string{"size", "-f", run, "-o", "json"}, []string{`"demand": { "load": "1", "withHeadroom": "1", "parameter": "replicas", "replicas": 2, "verdict": "Met", "accelerators": 2, "costPerHour": 5 }`}, cli.ExitOK,
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := windtunnel(t, tc.args...)
			if cli.ExitCode(err) != tc.code {
				t.Fatalf("exit %d (%v), want %d", cli.ExitCode(err), err, tc.code)
			}
			rest := cmdtest.Words(out)
			for _, want := range tc.want {
				_, after, found := strings.Cut(rest, cmdtest.Words(want))
				if !found {
					t.Fatalf("there is no %q, in this order, in\n%s", want, out)
				}
				rest = after
			}
		})
	}
}

// The sweep that --print writes gives the answer of size itself, but for the judgement: it has no gates.
func TestSizePrintsItsSweep(t *testing.T) {
	run := cmdtest.TempFile(t, "run.yaml", cmdtest.Clockwork)
	args := []string{"size", "-f", run, "--headroom", "20%"}
	sweep := mustRun(t, append(args, "--print")...)
	if strings.Contains(sweep, "status") || strings.Contains(sweep, "creationTimestamp") {
		t.Errorf("there are fields of a cluster in\n%s", sweep)
	}
	got, want := mustRun(t, "sweep", "-f", cmdtest.TempFile(t, "sweep.yaml", sweep), "-o", "table"), mustRun(t, append(args, "-o", "table")...)
	want = strings.Replace(want, "verdict: pass: ", "verdict: not judged: no gates are stated; ", 1)
	if diff := cmp.Diff(want, strings.TrimPrefix(got, "PolicySweep clockwork\n\n")); diff != "" {
		t.Errorf("(-size +sweep):\n%s", diff)
	}
}

// A factor of a trace is also written in requests a second: the trace has 4 requests in 3 s, and
// the file that init writes is sized as the trace is.
func TestSizeOfTracesAndOfWhatInitWrites(t *testing.T) {
	trace := cmdtest.TempFile(t, "gateway.csv", "ts,prompt,completion\n2026-01-01T00:00:00Z,500,20\n2026-01-01T00:00:01Z,90,7\n2026-01-01T00:00:02Z,90,7\n2026-01-01T00:00:03Z,800,60\n")
	csv := []string{"--trace", trace, "--csv", "time=ts,timeFormat=Timestamp,inputTokens=prompt,outputTokens=completion"}
	const want = "1 replica meets the demand of 1.33 requests/s, with "
	scenario := filepath.Join(t.TempDir(), "scenario.yaml")
	for _, kind := range []string{"run", "sweep"} {
		mustRun(t, append([]string{"init", "--kind", kind, "-o", scenario, "--force"}, csv...)...)
		for _, args := range [][]string{append([]string{"size", "--slo", "ttft.p99=500ms"}, csv...), {"size", "-f", scenario, "--slo", "ttft.p99=500ms"}} {
			if out := mustRun(t, args...); !strings.Contains(out, want) {
				t.Errorf("%v: there is no %q in\n%s", args, want, out)
			}
		}
	}
	preset := mustRun(t, "size", "--preset", "Chatbot", "--rate", "3", "--slo", "ttft.p99=2s", "--slo", "completionRate=99%")
	if want := "meets the demand of 3 requests/s"; !strings.Contains(preset, want) {
		t.Errorf("there is no %q in\n%s", want, preset)
	}
}

func TestWhatSizeRefuses(t *testing.T) {
	run := cmdtest.TempFile(t, "run.yaml", cmdtest.Clockwork)
	changed := func(old, with string) string {
		return cmdtest.TempFile(t, "run.yaml", strings.Replace(cmdtest.Clockwork, old, with, 1))
	}
	scaled := changed("    router:", "    scalers:\n    - {name: s, pools: [pool], policy: queue-length, minReplicas: 1, maxReplicas: 3, parameters: {target: \"2\"}}\n    router:")
	closed := changed(`arrivals: {process: Constant, rate: "1"}`, "closedLoop: {concurrency: 3}")
	two := changed("      - name: clock", "      - name: more\n        arrivals: {rate: \"1\"}\n        inputTokens: {mean: \"9\"}\n        outputTokens: {mean: \"9\"}\n      - name: clock")
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no scenario":            {[]string{"--slo", "ttft.p99=1s"}, "a scenario is required: -f FILE, --trace FILE, or --preset NAME --rate N"},
		"a preset without rate":  {[]string{"--preset", "RAG", "--slo", "ttft.p99=1s"}, "--preset needs --rate"},
		"two scenarios":          {[]string{"-f", run, "--preset", "RAG", "--rate", "1"}, "use it without --preset and --rate"},
		"no SLO":                 {[]string{"--preset", "RAG", "--rate", "1"}, "an SLO is required"},
		"an SLO without a bound": {[]string{"-f", run, "--slo", "ttft.p99"}, `--slo "ttft.p99": must be a metric, = and a bound`},
		"an unknown statistic":   {[]string{"-f", run, "--slo", "ttft.p98=1s"}, `--slo "ttft.p98=1s": Invalid value: "ttft.p98"`},
		"a bound without a unit": {[]string{"-f", run, "--slo", "ttft.p99=500"}, "must be a duration with its unit, such as 500ms"},
		"an SLO twice":           {[]string{"-f", run, "--slo", "ttft.p99=1s", "--slo", "ttft.p99=2s"}, "ttft.p99 has a bound already"},
		"headroom without %":     {[]string{"-f", run, "--headroom", "30"}, `--headroom "30": must be a percentage greater than 0`},
		"negative failures":      {[]string{"-f", run, "--survive", "-1"}, "--survive must not be negative"},
		"all replicas fail":      {[]string{"-f", run, "--survive", "4", "--max-replicas", "4"}, "must be less than --max-replicas"},
		"no replicas":            {[]string{"-f", run, "--max-replicas", "0"}, "--max-replicas must be from 1 to 16384"},
		"an unknown pool":        {[]string{"-f", run, "--pool", "x"}, `--pool: Unsupported value: "x": supported values: "pool"`},
		"an unknown load":        {[]string{"-f", run, "--load", "x"}, `--load: Unsupported value: "x": supported values: "workload.clients[clock].arrivals.rate"`},
		"a scaled pool":          {[]string{"-f", scaled}, "spec.scenario.scalers[0].pools: Forbidden: scaler s changes the replicas of pool pool"},
		"a closed loop":          {[]string{"-f", closed}, "spec.scenario.workload.clients[0].closedLoop: Forbidden: users who wait for answers slow down"},
		"two sources":            {[]string{"-f", two}, "name it with --load (workload.clients[more].arrivals.rate, workload.clients[clock].arrivals.rate)"},
		"what is sized":          {[]string{"-f", run, "--set", "pools[pool].replicas=3"}, "--set[pools[pool].replicas]: Forbidden: parameter replicas of the sweep varies it"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := windtunnel(t, append([]string{"size"}, tc.args...)...); cli.ExitCode(err) != cli.ExitBadInput || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("exit %d, %v; want %q", cli.ExitCode(err), err, tc.want)
			}
		})
	}
	if out := mustRun(t, "size", "-f", two, "--load", "workload.clients[clock].arrivals.rate"); !strings.Contains(out, "the demand of 1 requests/s") ||
		!strings.Contains(out, "The demand is that of workload.clients[clock].arrivals.rate alone; the pool serves it in addition to the requests of 1 more source, which stay as they are.") {
		t.Error(out)
	}
}
