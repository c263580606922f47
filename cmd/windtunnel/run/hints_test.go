// SPDX-License-Identifier: Apache-2.0

package run

import (
	"math"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// A step takes 10 ms + 0.1 ms a prompt token. The answer of chat begins at 3.333 s with a step
// of 20 ms for 100 tokens, and the report's prompt of 1000 tokens comes at 5 s.
const longPromptBesideAnAnswer = `apiVersion: sim.windtunnel.dev/v1alpha1
kind: SimulationRun
metadata: {name: hints}
spec:
  scenario:
    horizon: {requests: 2}
    pools:
    - name: pool
      model: meta-llama/Llama-3.1-8B-Instruct
      accelerator: h100-sxm
      engine: {maxNumBatchedTokens: 2048}
      latency:
        model: linear
        linear: {baseMicroseconds: "10000", perPrefillTokenMicroseconds: "100", perDecodeTokenMicroseconds: "0"}
    router:
      policies: {routing: {policy: round-robin}}
      HINT
    workload:
      clients:
      - name: chat
        class: interactive
        arrivals: {process: Constant, rate: "0.3"}
        inputTokens: {distribution: Constant, mean: "100"}
        outputTokens: {distribution: Constant, mean: "400"}
      - name: report
        class: batch
        arrivals: {process: Constant, rate: "0.2"}
        inputTokens: {distribution: Constant, mean: "1000"}
        outputTokens: {distribution: Constant, mean: "1"}
`

// Without a hint, one step computes the whole prompt: the answer waits for 10 + 100 ms.
// With chunks of 256, it waits for 10 + 25.6 ms at most, and the prompt takes 4 steps, 4 × 10 +
// 100 ms. The steps of the answer begin at 3.353 s + n × 10 ms, so one ends 3.333 ms after the
// report has come, for which the report waits. The mean TTFT is over both requests. With 300
// and 250, the stricter hint counts: 4 steps again, and gaps of 10 + 25 ms.
func TestHintsOfChunksByHand(t *testing.T) {
	for name, tc := range map[string]struct {
		policies        string
		gapMS, reportMS float64
	}{
		"none":            {"", 110, 110 + 10./3},
		"of a priority":   {`priority: {policy: class, parameters: {"prefillChunk:batch": "256"}}`, 35.6, 140 + 10./3},
		"of an admission": {`admission: {policy: always, parameters: {prefillChunk: "256"}}`, 35.6, 140 + 10./3},
		"of both, the stricter": {`priority: {policy: tenant, parameters: {prefillChunk: "300"}}
      admission: {policy: always, parameters: {"prefillChunk:batch": "250"}}`, 35, 140 + 10./3},
		"for another class": {`priority: {policy: constant, parameters: {"prefillChunk:interactive": "256"}}`, 110, 110 + 10./3},
	} {
		t.Run(name, func(t *testing.T) {
			manifest := strings.Replace(longPromptBesideAnAnswer, "HINT", tc.policies, 1)
			out := jsontest.Decode[struct{ Rows []result.Row }](t, []byte(mustRun(t, "run", "-f", cmdtest.TempFile(t, "run.yaml", manifest), "-o", "json")))
			gap, _ := out.Rows[0].Metrics.Get("itl.max")
			ttft, _ := out.Rows[0].Metrics.Get("ttft.mean")
			if report := 2000*ttft - 20; math.Abs(1000*gap-tc.gapMS) > 1e-6 || math.Abs(report-tc.reportMS) > 1e-3 {
				t.Errorf("the longest gap is %v ms, and the TTFT of the report %v ms", 1000*gap, report)
			}
		})
	}
}
