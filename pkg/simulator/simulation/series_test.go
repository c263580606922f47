// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

func runOf(t *testing.T, c simulator.Config) *simulator.Result {
	t.Helper()
	o, err := Run(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestSeriesChangeNothingElse(t *testing.T) {
	for seed := range int64(200) {
		data := randomChoices(seed, 120, 500)
		without, with := randomConfigWith(data, features["scaling, all"]...), randomConfigWith(data, features["scaling, all"]...)
		with.Series = randomSeries(data)
		want, got := runOf(t, without), runOf(t, with)
		if got.Series == nil || want.Series != nil {
			t.Fatal("series are not there where they are asked for, or are where they are not")
		}
		got.Series = nil
		if diff := difference(want, got); diff != "" {
			t.Fatalf("scenario %d (−without +with):\n%s", seed, diff)
		}
	}
}

// loadedConfig is some seconds of real lengths on some replicas.
func loadedConfig(t *testing.T, replicas, requests int) simulator.Config {
	return simulator.Config{
		Pools: []simulator.Pool{llamaPool(t, replicas)}, Policies: policy.RoutedBy(&scatter{deaf: true}),
		Source:  workload.NewClients(referenceClients(75), 1),
		Horizon: simulator.Horizon{Requests: requests, Drain: time.Hour},
		Series:  simulator.SeriesConfig{Bins: 60, Width: 16 * time.Millisecond, Unit: time.Millisecond},
	}
}

func TestRunsEndWithMoreThanHalfOfTheBins(t *testing.T) {
	for _, requests := range []int{100, 200, 400, 700, 1100} {
		o := runOf(t, loadedConfig(t, 3, requests))
		if n := o.Series.Bins; n > 60 || n < 30 {
			t.Errorf("%d bins of %v up to %v", n, o.Series.Width, o.End)
		}
	}
}

// inTurn sends requests to replicas in turn.
type inTurn struct{}

func (inTurn) Route(_ *policy.View, q *policy.Request) (policy.Route, error) {
	return policy.To(q.ID % simulator.MaxSeriesReplicas), nil
}

func TestManyReplicasHaveTheSeriesOfTheirPools(t *testing.T) {
	few, many := loadedConfig(t, simulator.MaxSeriesReplicas, 300), loadedConfig(t, simulator.MaxSeriesReplicas, 300)
	few.Policies, many.Policies = policy.RoutedBy(inTurn{}), policy.RoutedBy(inTurn{})
	many.Pools[0].MaxReplicas = simulator.MaxSeriesReplicas + 1 // one that never begins
	want, got := runOf(t, few).Series, runOf(t, many).Series
	if len(want.Replicas) != simulator.MaxSeriesReplicas || got.Replicas != nil {
		t.Fatalf("%d and %d replicas have series", len(want.Replicas), len(got.Replicas))
	}
	want.Replicas = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pools (−of few +of many):\n%s", diff)
	}
}
