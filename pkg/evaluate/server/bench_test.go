// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/evaluate"
	"windtunnel.dev/windtunnel/pkg/evaluate/server"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/fence"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox"
	"windtunnel.dev/windtunnel/pkg/policy/sandbox/wasm/wasmtest"
)

// TestMain lets the program of the tests be the child of its fences.
func TestMain(m *testing.M) {
	fence.Serve(nil)
	m.Run()
}

// questions are about one policy: prefixes and queues.
func questions(b *testing.B) map[string]string {
	source := testfile.Read(b, "../../../config/samples/policies/prefix-and-load.star")
	question := func(language, policy string) string {
		raw := jsontest.Encode(b, map[string]string{"language": language, "policy": policy})
		return string(raw)
	}
	l := sandbox.RoutingLayout(sandbox.Names{})
	first := l.Columns()
	module := wasmtest.Weighted(l.Function, l.Scalars(), first+2, map[int]float64{first: 1})
	return map[string]string{
		"starlark": question("starlark", string(source)),
		"wasm":     question("wasm", base64.StdEncoding.EncodeToString(module.Bytes())),
		"builtIn":  `{"policy": {"apiVersion": "sim.windtunnel.dev/v1alpha1", "kind": "PolicyBundle", "routing": {"builtIn": {"policy": "weighted", "scorers": [{"name": "prefix-affinity", "weight": 3}, {"name": "queue-depth", "weight": 2}]}}}}`,
	}
}

// BenchmarkEvaluate asks a warm server one question after the other about 2,000 requests. No
// answer is a kept one.
func BenchmarkEvaluate(b *testing.B) {
	run := experimenttest.Run(b)
	run.Spec.Scenario.Horizon = v1alpha1.Horizon{Requests: new(int64(2000))}
	run.Spec.Scenario.SLOs[0].TTFT = "50ms"
	s, errs, err := evaluate.NewScenario(b.Context(), run, "", nil, experimenttest.TraceInputs(b))
	if err != nil || len(errs) > 0 {
		b.Fatal(errs, err)
	}
	n := runtime.GOMAXPROCS(0)
	behind := fence.New(n)
	b.Cleanup(behind.StartAhead(n))
	e := &evaluate.Evaluator{Fence: behind, Now: time.Now}
	web := httptest.NewServer(server.New(e, []*evaluate.Scenario{s}, 0, n).Handler())
	b.Cleanup(web.Close)
	seed := 0
	for language, question := range questions(b) {
		for _, summary := range evaluate.Summaries {
			b.Run(language+"/"+string(summary), func(b *testing.B) {
				var took []time.Duration
				for b.Loop() {
					seed++
					began := time.Now()
					r, err := http.Post(web.URL+"/v1/evaluate", "application/json", strings.NewReader(with(question, fmt.Sprintf(`"seed": %d, "summary": %q`, seed, summary))))
					if err != nil {
						b.Fatal(err)
					}
					var a evaluate.Answer
					if err := json.NewDecoder(r.Body).Decode(&a); err != nil || !a.OK {
						b.Fatal(err, a.Error)
					}
					r.Body.Close()
					took = append(took, time.Since(began))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			})
		}
	}
}
