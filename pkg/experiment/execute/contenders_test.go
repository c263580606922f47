// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// contenders come at once, at 0 s. Each has a prompt of 16 tokens, one block, and an answer of one
// token, and each step of the engine takes 10 ms, whatever is in it.
const contenders = 12

const contest = `apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: contest}
spec:
  replications: {seeds: [1]}
  scenario:
    horizon: {requests: 12}
    pools:
    - name: llama
      model: meta-llama/Llama-3.1-8B-Instruct
      accelerator: h100-sxm
      replicas: 1
      latency: {model: linear, linear: {baseMicroseconds: "10000", perPrefillTokenMicroseconds: "0", perDecodeTokenMicroseconds: "0"}}
    router:
      policies: {routing: {policy: least-loaded}}
    workload:
      clients:
      - name: burst
        closedLoop: {concurrency: 12}
        inputTokens: {distribution: Constant, mean: "16"}
        outputTokens: {distribution: Constant, mean: "1"}
`

// contend simulates the contest with an edit of its text, and says when first tokens come and how
// other requests end, such as "5@10ms 5@20ms 2@30ms".
func contend(t *testing.T, edits ...string) string {
	t.Helper()
	text := contest
	for i := 0; i < len(edits); i += 2 {
		if !strings.Contains(text, edits[i]) {
			t.Fatalf("the contest has no %q", edits[i])
		}
		text = strings.Replace(text, edits[i], edits[i+1], 1)
	}
	c := experimenttest.MustCompileRun(t, experimenttest.ReadSet(t, []byte(text)).Runs[0])
	round := experimenttest.FirstRound(t, c.Plan)
	var ends endings
	if _, err := execute.Simulate(t.Context(), c.Plan, c.Traces, round, round.All().Indices(), execute.Options{
		Parallelism: 1, Requests: func(int, experiment.Point, int64) (execute.RequestSink, error) { return &ends, nil },
	}); err != nil {
		t.Fatal(err)
	}
	return ends.String()
}

// endings are how requests ended: when their first token came, after the first arrival, or why none
// did.
type endings struct {
	began float64 // s
	all   []string
}

func (e *endings) Write(row *result.RequestRow) error {
	if row.Request == 0 {
		e.began = row.ArrivalSeconds
	}
	switch {
	case row.Reason != nil:
		e.all = append(e.all, *row.Reason)
	case row.Outcome != "completed":
		e.all = append(e.all, row.Outcome)
	default:
		at := time.Duration((row.ArrivalSeconds + *row.TTFTSeconds - e.began) * 1e9).Round(100 * time.Microsecond)
		e.all = append(e.all, fmt.Sprintf("%020d@%v", at, at))
	}
	return nil
}

func (e *endings) Close() error { return nil }

// String counts equal endings, those with tokens first, in the order of time.
func (e *endings) String() string {
	slices.Sort(e.all)
	var all []string
	for i := 0; i < len(e.all); {
		n := 1
		for i+n < len(e.all) && e.all[i+n] == e.all[i] {
			n++
		}
		_, at, served := strings.Cut(e.all[i], "@")
		if served {
			all = append(all, fmt.Sprintf("%d@%s", n, at))
		} else {
			all = append(all, fmt.Sprintf("%d %s", n, e.all[i]))
		}
		i += n
	}
	return strings.Join(all, " ")
}

// waves are the first tokens by hand of contenders that are served atOnce at a time, each wave as
// long as a service.
func waves(atOnce int, service time.Duration) string {
	var all []string
	for served, at := 0, service; served < contenders; served, at = served+atOnce, at+service {
		all = append(all, fmt.Sprintf("%d@%v", min(atOnce, contenders-served), at))
	}
	return strings.Join(all, " ")
}

// Each bound holds at every moment, and is used in full: with twelve contenders, by hand, the waves
// are as large as the bound allows. A bound that lets one more in ends the contest sooner, and one
// that is not reached ends it later.
func TestBoundsHoldWithManyContenders(t *testing.T) {
	const (
		step  = 10 * time.Millisecond
		pools = "      replicas: 1\n"
	)
	flowControl := func(section string, detector string) []string {
		return []string{"      policies: {routing: {policy: least-loaded}}\n", `      endpointPickerConfig:
        version: router-v0.10
        inline: |
          apiVersion: llm-d.ai/v1alpha1
          kind: EndpointPickerConfig
          featureGates: [flowControl]
          plugins:
          - {type: active-request-scorer}
          - {type: max-score-picker}
          - {type: concurrency-detector, parameters: {` + detector + `}}
          schedulingProfiles:
          - {name: default, plugins: [{pluginRef: active-request-scorer}, {pluginRef: max-score-picker}]}
          flowControl:
            saturationDetector: {pluginRef: concurrency-detector}
` + section}
	}
	admission := func(policy, parameters string) []string {
		return []string{"      policies: {routing", "      admission: {policy: " + policy + ", parameters: {" + parameters + "}}\n      policies: {routing"}
	}
	for name, tc := range map[string]struct {
		edits []string
		want  string
	}{
		// Sequences of a step.
		"maxNumSeqs 1": {[]string{pools, pools + "      engine: {maxNumSeqs: 1}\n"}, waves(1, step)},
		"maxNumSeqs 2": {[]string{pools, pools + "      engine: {maxNumSeqs: 2}\n"}, waves(2, step)},
		"maxNumSeqs 5": {[]string{pools, pools + "      engine: {maxNumSeqs: 5}\n"}, waves(5, step)},
		// Tokens of a step: prompts of 16. With 40, steps end at 40, 80, 120, 160 and 192 tokens,
		// in which 2.5, 5, 7.5, 10 and 12 prompts are whole.
		"maxNumBatchedTokens 16": {[]string{pools, pools + "      engine: {maxNumSeqs: 12, maxNumBatchedTokens: 16}\n"}, waves(1, step)},
		"maxNumBatchedTokens 32": {[]string{pools, pools + "      engine: {maxNumSeqs: 12, maxNumBatchedTokens: 32}\n"}, waves(2, step)},
		"maxNumBatchedTokens 40": {[]string{pools, pools + "      engine: {maxNumSeqs: 12, maxNumBatchedTokens: 40}\n"}, "2@10ms 3@20ms 2@30ms 3@40ms 2@50ms"},
		// Tokens of one prompt in a step: all prompts take ⌈16 ÷ 5⌉ steps, beside each other.
		"longPrefillTokenThreshold 5": {[]string{pools, pools + "      engine: {longPrefillTokenThreshold: 5}\n"}, waves(12, 4*step)},
		// Adapters of a step: each contender has its own.
		"adapters.max 1": {[]string{pools, pools + "      adapters: {max: 1}\n", "        closedLoop: {concurrency: 12}\n", adapters}, waves(1, step)},
		"adapters.max 5": {[]string{pools, pools + "      adapters: {max: 5}\n", "        closedLoop: {concurrency: 12}\n", adapters}, waves(5, step)},
		// Users of a closed loop: each sends its next request when its last one ends.
		"closedLoop.concurrency 1": {[]string{"concurrency: 12", "concurrency: 1, turnaround: 0s"}, waves(1, step)},
		"closedLoop.concurrency 5": {[]string{"concurrency: 12", "concurrency: 5, turnaround: 0s"}, waves(5, step)},
		// Blocks of the KV cache: one that vLLM keeps empty, and one of each prompt. The last token
		// needs none.
		"kvCache.blocks 2": {[]string{pools, pools + "      kvCache: {blocks: 2}\n"}, waves(1, step)},
		"kvCache.blocks 6": {[]string{pools, pools + "      kvCache: {blocks: 6}\n"}, waves(5, step)},
		// The second wave of five would have its first tokens at 20 ms.
		"timeout.firstToken 15ms": {[]string{
			pools, pools + "      engine: {maxNumSeqs: 5}\n", "        closedLoop", "        timeout: {firstToken: 15ms}\n        closedLoop",
		}, "5@10ms 7 timed out"},
		"timeout.total 25ms": {[]string{
			pools, pools + "      engine: {maxNumSeqs: 5}\n", "        closedLoop", "        timeout: {total: 25ms}\n        closedLoop",
		}, "5@10ms 5@20ms 2 timed out"},
		// A prompt of 16 tokens and an answer of one.
		"maxModelLen 17": {[]string{pools, pools + "      engine: {maxModelLen: 17}\n"}, waves(12, step)},
		"maxModelLen 16": {[]string{pools, pools + "      engine: {maxModelLen: 16}\n"}, "12 exceedsModelLength"},
		// A bucket of three requests, into which one more flows in 100 ms.
		"token-bucket burst 3": {admission("token-bucket", `rate: "10", burst: "3"`), "3@10ms 9 rateLimited"},
		"token-bucket maxDelay 250ms": {
			admission("token-bucket", `rate: "10", burst: "3", over: delay, maxDelay: 250ms`), "3@10ms 1@110ms 1@210ms 7 rateLimited",
		},
		"tenant-budget capacity 3": {admission("tenant-budget", `capacity: "3"`), "3@10ms 9 overBudget"},
		// Requests in flight. All ask at 0 s, so as many leave as the detector lets in.
		"maxConcurrency 12": {flowControl("", "maxConcurrency: 12"), waves(12, step)},
		// Beside four in flight, three wait. The four end at 10 ms, and one request leaves in each
		// cycle of 1 ms: the one of 11 ms has a step of its own, and the other two the next one.
		"maxRequests 3":      {flowControl("            maxRequests: \"3\"\n", "maxConcurrency: 4"), "4@10ms 1@21ms 2@31ms 5 queueFull"},
		"band maxRequests 3": {flowControl("            priorityBands: [{priority: 0, maxRequests: \"3\"}]\n", "maxConcurrency: 4"), "4@10ms 1@21ms 2@31ms 5 queueFull"},
		// Four more leave until 15 ms, when the other four have waited for as long as they may.
		"defaultRequestTTL 15ms": {flowControl("            defaultRequestTTL: 15ms\n", "maxConcurrency: 4"), "4@10ms 1@21ms 3@31ms 4 expired"},
		// Replicas, of which each serves one request at a time. A schedule asks for twelve.
		"maxNodes 3": {grown(3), waves(3, step)},
		"maxNodes 5": {grown(5), waves(5, step)},
		// Hand-overs under way. Each takes 1 s after 10 ms of prefill, and the next prefill waits for it.
		"maxPendingHandoffs 1": {handoff(1), handoffs(1)},
		"maxPendingHandoffs 5": {handoff(5), handoffs(5)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, contend(t, tc.edits...)); diff != "" {
				t.Errorf("first tokens (-by hand +simulated):\n%s", diff)
			}
		})
	}
}

// adapters are clients that send one request at a time, each of its own adapter.
const adapters = `        copies: {count: 12}
        closedLoop: {concurrency: 1}
        adapter: own
`

// grown has the contenders come after ten minutes, when a scaler that wants twelve replicas has made
// as many as there are nodes, each of one accelerator.
func grown(maxNodes int) []string {
	return []string{
		"      replicas: 1\n", `      replicas: 1
      engine: {maxNumSeqs: 1}
      nodePool: nodes
      startup: {imagePull: 1s, modelLoad: 1s}
`, "    router:\n", fmt.Sprintf(`    nodePools: [{name: nodes, acceleratorsPerNode: 1, maxNodes: %d, provisioning: 1s}]
    scalers: [{name: llama, pools: [llama], minReplicas: 1, maxReplicas: 12, policy: schedule, parameters: {at: 0s=12}}]
    router:
`, maxNodes), "        closedLoop: {concurrency: 12}\n", `        arrivals: {process: Constant, stages: [{rate: "0", duration: 10m}, {rate: "1000000", duration: 1s}]}
`}
}

// handoff has the contenders prefilled in one pool and decoded in another one, with a limit on the
// hand-overs under way. A hand-over takes the latency of the network alone.
func handoff(most int) []string {
	const times = "      latency: {model: linear, linear: {baseMicroseconds: \"10000\", perPrefillTokenMicroseconds: \"0\", perDecodeTokenMicroseconds: \"0\"}}\n"
	return []string{
		times, times + `      role: Prefill
    - name: decode
      model: meta-llama/Llama-3.1-8B-Instruct
      accelerator: h100-sxm
      replicas: 1
      role: Decode
` + times, "    router:\n      policies: {routing: {policy: least-loaded}}\n", fmt.Sprintf(`    disaggregation: {maxPendingHandoffs: %d, network: {bytesPerSecond: "10T", latency: 1s}}
    router:
      endpointPickerConfig:
        version: router-v0.10
        inline: |
          apiVersion: llm-d.ai/v1alpha1
          kind: EndpointPickerConfig
          plugins:
          - {type: disagg-profile-handler, parameters: {deciders: {prefill: always-disagg-pd-decider}}}
          - {type: always-disagg-pd-decider}
          - {type: prefill-filter}
          - {type: decode-filter}
          - {type: active-request-scorer}
          - {type: max-score-picker}
          schedulingProfiles:
          - {name: prefill, plugins: [{pluginRef: prefill-filter}, {pluginRef: active-request-scorer}, {pluginRef: max-score-picker}]}
          - {name: decode, plugins: [{pluginRef: decode-filter}, {pluginRef: active-request-scorer}, {pluginRef: max-score-picker}]}
`, most),
	}
}

// handoffs are the first tokens by hand: waves of 10 ms of prefill and 1 s of transfer, and the
// last step of 10 ms in the other pool.
func handoffs(atOnce int) string {
	var all []string
	for served, at := 0, 1010*time.Millisecond; served < contenders; served, at = served+atOnce, at+1010*time.Millisecond {
		all = append(all, fmt.Sprintf("%d@%v", min(atOnce, contenders-served), at+10*time.Millisecond))
	}
	return strings.Join(all, " ")
}
