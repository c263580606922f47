// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"math"
	"slices"
	"testing"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// adaptiveRun is a run that rejects some requests, with a law and parameters, names and
// values in turn.
func adaptiveRun(t *testing.T, law string, parameters ...string) *v1alpha1.SimulationRun {
	t.Helper()
	run := experimenttest.Run(t)
	s := &run.Spec.Scenario
	requests := int64(400)
	s.Horizon.Requests = &requests
	s.Workload.Clients[0].Arrivals.Rate = "200"
	s.Router.EndpointPickerConfig = v1alpha1.EndpointPickerConfig{}
	s.Router.Policies = &v1alpha1.Policies{Routing: v1alpha1.RoutingPolicy{Policy: "weighted", Scorers: []v1alpha1.RoutingScorer{
		{Name: "prefix-affinity", Weight: "3"}, {Name: "load-seed", Weight: "2"},
	}}}
	s.Router.Admission = &v1alpha1.GatewayPolicy{Policy: "probabilistic", Parameters: map[string]v1alpha1.PolicyParameter{"queueDepth": "2", "most": "0.3"}}
	s.Router.Adaptive = &v1alpha1.GatewayPolicy{Policy: law, Parameters: map[string]v1alpha1.PolicyParameter{"epochRequests": "20"}}
	for i := 0; i < len(parameters); i += 2 {
		s.Router.Adaptive.Parameters[parameters[i]] = v1alpha1.PolicyParameter(parameters[i+1])
	}
	return run
}

// The trace has every epoch that ended, and the metrics are those of its ratios.
func TestTheTraceOfWeights(t *testing.T) {
	for _, law := range []string{"bang-bang", "multiplicative", "pi", "epoch-adaptive-seed"} {
		t.Run(law, func(t *testing.T) {
			d := documentOf(t, adaptiveRun(t, law))
			if len(d.Adaptive) != 1 || d.Adaptive[0].Law != law {
				t.Fatalf("adaptive routers %+v", d.Adaptive)
			}
			a := &d.Adaptive[0]
			var arrived, rejected int64
			var ratios []float64
			for _, e := range a.Epochs {
				arrived, rejected = arrived+e.Arrived, rejected+e.Rejected
				ratios = append(ratios, e.Prefix/e.Load)
			}
			if all := &d.Overall.Requests; arrived > all.Arrived || arrived < all.Arrived-60 || rejected == 0 || rejected > all.Rejected {
				t.Errorf("%d arrivals and %d rejections in epochs, of %d and %d", arrived, rejected, all.Arrived, all.Rejected)
			}
			first, last := &a.Epochs[0], a.Last
			if first.Prefix != 3 || first.Load != 2 || len(last) != 2 || last[0].Weight == 3 {
				t.Errorf("begins at %+v and ends at %+v", first, last)
			}
			mean, _ := d.Value(result.MustParseMetric("adaptive.ratio.mean"))
			deviation, _ := d.Value(result.MustParseMetric("adaptive.ratio.stdDev"))
			if want := stats.MeanInterval(ratios, 0.95); math.Abs(mean-want.Mean) > 1e-9 || math.Abs(deviation-want.StdDev) > 1e-9 {
				t.Errorf("mean %v and deviation %v, want %+v", mean, deviation, want)
			}
		})
	}
}

// askedFor is a run that asks for a metric with a gate.
func askedFor(t *testing.T, metric string) *v1alpha1.SimulationRun {
	t.Helper()
	run := experimenttest.Run(t)
	run.Spec.Scenario.Horizon.Warmup = "1s"
	if metric != "" {
		run.Spec.Gates = []v1alpha1.RunGate{{Name: "worst", Metric: metric, Operator: v1alpha1.AtMost, Value: "1h", Confidence: "0.95"}}
	}
	return run
}

// requestRows keeps all requests.
type requestRows struct{ all []result.RequestRow }

func (r *requestRows) sink(int, experiment.Point, int64) (execute.RequestSink, error) { return r, nil }

func (r *requestRows) Write(row *result.RequestRow) error {
	r.all = append(r.all, *row)
	return nil
}

func (r *requestRows) Close() error { return nil }

// quantile interpolates between the values around it.
func quantile(values []float64, q float64) float64 {
	slices.Sort(values)
	at := q * float64(len(values)-1)
	i := min(int(at), len(values)-2)
	return values[i] + (at-float64(i))*(values[i+1]-values[i])
}

// The greatest figures of any replica are those of the lists of all of its requests, as
// far as a histogram is exact.
func TestTheReplicaThatDoesWorst(t *testing.T) {
	run := askedFor(t, "maxReplica.ttft.p99")
	c := experimenttest.MustCompileRun(t, run)
	rows := &requestRows{}
	simulations, err := execute.Simulate(t.Context(), c.Plan, c.Traces, experimenttest.FirstRound(t, c.Plan), []int{0}, execute.Options{
		Parallelism: 1, Requests: rows.sink,
	})
	if err != nil {
		t.Fatal(err)
	}
	ttft := map[string][]float64{}
	for _, r := range rows.all {
		if r.Measured && r.TTFTSeconds != nil {
			ttft[*r.Replica] = append(ttft[*r.Replica], *r.TTFTSeconds)
		}
	}
	wantMean, wantP99 := 0.0, 0.0
	for _, values := range ttft {
		wantMean, wantP99 = max(wantMean, stats.MeanInterval(values, 0.95).Mean), max(wantP99, quantile(values, 0.99))
	}
	row := &simulations[0].Row
	mean, _ := row.Metrics.Get("maxReplica.ttft.mean")
	p99, _ := row.Metrics.Get("maxReplica.ttft.p99")
	if len(ttft) < 2 || math.Abs(mean/wantMean-1) > 1e-6 || math.Abs(p99/wantP99-1) > 0.005 {
		t.Errorf("mean %v and P99 %v, want %v and %v, of %d replicas", mean, p99, wantMean, wantP99, len(ttft))
	}
}

// A row without the metric is not taken for one with it.
func TestAMetricOnRequestHasAKeyOfItsOwn(t *testing.T) {
	key := func(metric string) (string, bool) {
		c := experimenttest.MustCompileRun(t, askedFor(t, metric))
		row := experimenttest.MustSimulate(t, c, experimenttest.AllSimulations(t, c.Plan))[0].Row
		_, has := row.Metrics.Get("maxReplica.ttft.p99")
		return row.Key, has
	}
	plain, none := key("")
	other, none2 := key("ttft.p99")
	asked, has := key("maxReplica.ttft.p99")
	if plain != other || none || none2 || !has || asked == plain {
		t.Errorf("keys %s, %s and %s; the metric is there: %t, %t, %t", plain, other, asked, none, none2, has)
	}
}
