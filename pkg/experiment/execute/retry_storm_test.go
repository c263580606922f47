// SPDX-License-Identifier: Apache-2.0

package execute_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/experimenttest"
	"windtunnel.dev/windtunnel/pkg/manifest"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// TestTheSampleOfARetryStorm: long after a spike, the first attempts of the sample fare as
// its comments say, under every seed. The arrivals of each row are its retries and the first
// attempts, which the source alone gives.
func TestTheSampleOfARetryStorm(t *testing.T) {
	c := experimenttest.MustCompileSweep(t, readSample(t, "policysweep-retry-storm.yaml").Sweeps[0])
	round := experimenttest.FirstRound(t, c.Plan)
	arrived := make([]arrivalCount, round.Simulations())
	simulations, err := execute.Simulate(t.Context(), c.Plan, c.Traces, round, round.All().Indices(), execute.Options{
		Parallelism: 2,
		Requests: func(i int, _ experiment.Point, _ int64) (execute.RequestSink, error) {
			return &arrived[i], nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	// What became of the first attempts, by the rate beside the spike and the workload.
	want := map[string]string{
		"2 no-spike": "all served", "2 no-retries": "all served", "2 at-once": "all served", "2 backoff": "some served", "2 jitter": "all served",
		"6 no-spike": "all served", "6 no-retries": "all served", "6 at-once": "none served", "6 backoff": "some served", "6 jitter": "all served",
		"12 no-spike": "all served", "12 no-retries": "all served", "12 at-once": "none served", "12 backoff": "none served", "12 jitter": "none served",
	}
	got := map[string]string{}
	for i, s := range simulations {
		of := round.At(i)
		name := of.Point.Values[0].Value + " " + of.Workload
		goodput, retries := metricOf(t, &s.Row, "firstAttemptGoodput"), int(metricOf(t, &s.Row, "retries"))
		fate := "some served"
		switch goodput {
		case 0:
			fate = "none served"
		case 1:
			fate = "all served"
		}
		if before, ok := got[name]; ok && before != fate {
			fate = "not the same under all seeds"
		}
		got[name] = fate
		if (retries > 0) != (goodput < 1) {
			t.Errorf("%s, seed %d: %d retries, although %v of the first attempts are served in time", name, of.Seed, retries, goodput)
		}
		if first := firstAttempts(t, c, of); first == 0 || int(arrived[i]) != first+retries {
			t.Errorf("%s, seed %d: %d arrivals are not %d first attempts and %d retries", name, of.Seed, arrived[i], first, retries)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("first attempts (-want +got):\n%s", diff)
	}
}

func readSample(t *testing.T, name string) *manifest.Set {
	t.Helper()
	return experimenttest.ReadSet(t, testfile.Read(t, "../../../config/samples/"+name))
}

func metricOf(t *testing.T, row *result.Row, name string) float64 {
	t.Helper()
	value, ok := row.Metrics.Get(name)
	if !ok {
		t.Fatalf("point %d, seed %d has no %s", row.Point, row.Seed, name)
	}
	return value
}

// arrivalCount counts the measured requests of a simulation.
type arrivalCount int

func (c *arrivalCount) Write(row *result.RequestRow) error {
	if row.Measured {
		*c++
	}
	return nil
}

func (c *arrivalCount) Close() error { return nil }

// firstAttempts counts the measured requests of a case that its source gives if it hears of
// no end, so that nobody tries again.
func firstAttempts(t *testing.T, c *compile.Compiled, of experiment.Case) int {
	t.Helper()
	config, err := execute.Config(c.Plan, c.Traces, of)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for {
		q, ok := config.Source.Next()
		if !ok || q.Arrival >= simtime.Time(config.Horizon.Duration) {
			return n
		}
		if q.Arrival >= simtime.Time(config.Horizon.WarmUp) {
			n++
		}
	}
}
