// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

// The producers of gie-v1.5 and scheduler-520af478 count what they sent, whatever a
// producer of in-flight load says, and whatever their name is they are heard.
func TestOldPredictionsAreOfTheirOwnCounts(t *testing.T) {
	const body = `plugins:
- {type: inflight-load-producer}
- {type: predicted-latency-producer, name: mine, parameters: {streamingMode: true}}
- {type: latency-scorer}
schedulingProfiles: [{name: default, plugins: [{pluginRef: latency-scorer}]}]`
	for _, version := range []string{"gie-v1.5.0", "scheduler-520af478"} {
		cluster := config.Cluster{Endpoints: 2}
		models := []*plainLatency{{}, {}}
		for _, m := range models {
			cluster.Latencies = append(cluster.Latencies, m)
		}
		s := inVersion(t, version, body, cluster)
		view := idle(2)
		view.Down = []bool{false, true}
		first := stating(request(0, 200), time.Second, time.Second)
		route(t, s, view, first)
		told := func(n int) [2]int64 {
			r := stating(request(n, 100), time.Second, time.Second)
			s.Finished(r, route(t, s, idle(2), r))
			return [2]int64{models[0].told.QueuedTokens, int64(models[0].told.InFlight)}
		}
		got := [][2]int64{told(1)}
		if scores := s.LastResult().Scores; scores[0] <= scores[1] {
			t.Errorf("%s: scores %v, want the least room best", version, scores)
		}
		s.FirstToken(first, 0)
		got = append(got, told(2))
		s.Finished(first, 0)
		got = append(got, told(3))
		if diff := cmp.Diff([][2]int64{{200, 1}, {0, 1}, {0, 0}}, got); diff != "" {
			t.Errorf("%s: tokens and requests (-want +got):\n%s", version, diff)
		}
	}
}

func TestOldPredictionsOfTwoPluginsAreRefused(t *testing.T) {
	for _, other := range []string{latencyScorerType, latencySLOAdmitterType, sloHeadroomTierFilterType, config.PredictedLatencyProducerType, prefixCacheAffinityFilterType} {
		c, errs := Load([]byte(oldHeader+"plugins: [{type: predicted-latency-scorer}, {type: "+other+"}]"), "gie-v1.5.0", inline)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		if errs := c.Check(&config.Cluster{Endpoints: 1}, inline); len(errs) != 1 {
			t.Errorf("%s: %v", other, errs.ToAggregate())
		}
	}
}

func TestOldNameOfPredictInProduce(t *testing.T) {
	for version, want := range map[string]config.Treatment{"gie-v1.5.0": config.NoEffect, "scheduler-520af478": config.Approximated} {
		c, errs := Load([]byte(oldHeader+"plugins: [{type: predicted-latency-producer, parameters: {predictInPrepareData: false}}]"), version, inline)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		if got := c.Report(nil)[0].Treatment; got != want {
			t.Errorf("%s: %s, want %s", version, got, want)
		}
	}
}
