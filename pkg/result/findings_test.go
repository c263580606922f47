// SPDX-License-Identifier: Apache-2.0

package result

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// quiet is a document of a run that owes nothing: 600 requests over a minute, the last of them
// 0.1 s before the horizon.
func quiet(seed int64, change func(*Document)) *Document {
	growth := 0.02
	d := &Document{
		Seed: seed, Provenance: Provenance{Loop: OpenLoop},
		Traffic: &Traffic{Requests: 600, LastArrivalSeconds: 59.9, HorizonSeconds: 60, BacklogGrowth: &growth},
		Overall: Group{Requests: Requests{Arrived: 600}, E2E: &Latency{Count: 600, Mean: float64(seed)}, Queueing: &Latency{Count: 600, Mean: 0.01}},
	}
	if change != nil {
		change(d)
	}
	return d
}

// Each finding where it is true, and beside it what looks like it and is not.
func TestFindingsOfRuns(t *testing.T) {
	grows := func(share, wait float64) func(*Document) {
		return func(d *Document) {
			d.Traffic.BacklogGrowth = &share
			d.Overall.E2E.Mean, d.Overall.Queueing.Mean = 10+float64(d.Seed), wait
		}
	}
	gaps := func(lacking int, blind float64) func(*Document) {
		return func(d *Document) {
			d.Traffic.ScalerGaps = []ScalerGaps{{Name: "s", Decisions: 120, Metric: "queue", Lacking: lacking, BlindSeconds: blind}}
		}
	}
	idle := func(n, of int) func(*Document) {
		return func(d *Document) { d.Traffic.IdlePools = []IdlePool{{Name: "p", Replicas: of, Idle: n}} }
	}
	for name, tc := range map[string]struct {
		change func(*Document)
		want   []FindingType
	}{
		"nothing": {nil, nil},

		"the traffic ends at a tenth of the horizon": {func(d *Document) { d.Traffic.HorizonSeconds = 600 }, []FindingType{TrafficEnds}},
		// 3 requests in 50 s have gaps of 17 s: 10 s without one are none too many.
		"few requests, far apart":              {func(d *Document) { d.Traffic.Requests, d.Traffic.LastArrivalSeconds = 3, 50 }, nil},
		"a silence below a tenth of the time":  {func(d *Document) { d.Traffic.LastArrivalSeconds = 55 }, nil},
		"fewer requests than the horizon asks": {func(d *Document) { d.Traffic.HorizonSeconds, d.Traffic.HorizonRequests = 0, 601 }, []FindingType{TrafficEnds}},
		"as many as the horizon asks":          {func(d *Document) { d.Traffic.HorizonSeconds, d.Traffic.HorizonRequests = 0, 600 }, nil},
		"at most so many in a time":            {func(d *Document) { d.Traffic.HorizonRequests = 9999 }, nil},
		"no request at all":                    {func(d *Document) { d.Traffic.Requests, d.Traffic.LastArrivalSeconds = 0, 0 }, nil},

		"no new replica in time":   {func(d *Document) { d.Traffic.NewReplicas = 2 }, []FindingType{LateReplicas}},
		"one of two in time":       {func(d *Document) { d.Traffic.NewReplicas, d.Traffic.NewReplicasInTime = 2, 1 }, nil},
		"no replica is ever new":   {func(d *Document) { d.Traffic.NewReplicas = 0 }, nil},
		"late under one seed":      {func(d *Document) { d.Traffic.NewReplicas, d.Traffic.NewReplicasInTime = 1, int(d.Seed-1) }, nil},
		"a third stays, and waits": {grows(1./3, 8), []FindingType{Overloaded}},
		// Long answers: the cluster fills, and nobody waits for a place.
		"a third stays, and does not wait": {grows(1./3, 0.1), nil},
		"a steady queue":                   {grows(0.03, 8), nil},
		"users who wait for their answers": {func(d *Document) { grows(1./3, 8)(d); d.Provenance.Loop = ClosedLoop }, nil},
		"next to nothing arrives":          {func(d *Document) { d.Traffic.BacklogGrowth = nil }, nil},
		"a stored document without it":     {func(d *Document) { d.Traffic = nil }, nil},

		"a metric without a value at most decisions": {gaps(109, 1620), []FindingType{BlindScaler}},
		"another metric decides":                     {gaps(109, 0), []FindingType{BlindScaler}},
		"a metric that begins late":                  {gaps(29, 400), nil},
		"a gap under one seed": {func(d *Document) {
			if d.Seed == 1 {
				gaps(109, 1620)(d)
			}
		}, nil},

		"half of the replicas are idle":   {idle(4, 8), []FindingType{IdleReplicas}},
		"a pool is idle":                  {idle(2, 2), []FindingType{IdleReplicas}},
		"prompts share less than a block": {func(d *Document) { d.Traffic.ShortPrefix = &ShortPrefix{240, 784} }, []FindingType{NothingShared}},
		"nine requests for each replica":  {idle(1, 61), nil},
		"an index forgets what caches hold": {
			func(d *Document) { d.Traffic.FullIndexes = []FullIndex{{"p", 4, 1, 1280, 16000}} }, []FindingType{IndexFull},
		},
		"six of them, of which five are told": {func(d *Document) {
			gaps(109, 1620)(d)
			idle(4, 8)(d)
			grows(1./3, 8)(d)
			d.Traffic.NewReplicas, d.Traffic.HorizonSeconds, d.Overall.E2E.Mean = 2, 600, 10
		}, []FindingType{TrafficEnds, BlindScaler, LateReplicas, Overloaded, IdleReplicas}},

		"all seeds are the same":       {func(d *Document) { d.Overall.E2E.Mean = 1 }, []FindingType{NothingRandom}},
		"nothing came, under any seed": {func(d *Document) { d.Overall = Group{} }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []FindingType
			for _, f := range RunFindings([]*Document{quiet(1, tc.change), quiet(2, tc.change)}) {
				got = append(got, f.Type)
				if f.What == "" || f.Advice == "" {
					t.Errorf("%s says %q", f.Type, f)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if got := RunFindings([]*Document{quiet(1, nil)}); got != nil {
		t.Errorf("one seed is random: %v", got)
	}
}

func TestWordsOfFindings(t *testing.T) {
	third := 1. / 3
	for want, change := range map[string]func(*Document){
		"The traffic ends at 59.9s, and the horizon at 10m0s: for 90% of the time no request arrives. Scalers":                         func(d *Document) { d.Traffic.HorizonSeconds = 600 },
		"No new replica serves before the traffic is over: the scaler started 2 under seed 1, and the last request arrives at 59.9s. ": func(d *Document) { d.Traffic.NewReplicas = 2 },
		"Scaler b: queue has no usable value at 109 of 120 decisions, and for 27m0s the scaler cannot decide. See": func(d *Document) {
			d.Traffic.ScalerGaps = []ScalerGaps{
				{Name: "a", Decisions: 120, Metric: "rate", Lacking: 60, BlindSeconds: 900},
				{Name: "b", Decisions: 120, Metric: "queue", Lacking: 109, BlindSeconds: 1620},
			}
		},
		"Scaler a: rate has no usable value at 60 of 120 decisions. See": func(d *Document) {
			d.Traffic.ScalerGaps = []ScalerGaps{{Name: "a", Decisions: 120, Metric: "rate", Lacking: 60}}
		},
		"Prompts share 240 tokens at most, and a KV block has 784: no prompt finds its beginning in a cache. Routing": func(d *Document) {
			d.Traffic.ShortPrefix = &ShortPrefix{240, 784}
		},
		"Pool q: the EPP's prefix index is full for 4 of 4 replicas. It holds 1280 tokens of a replica, whose caches hold 16000: ": func(d *Document) {
			d.Traffic.FullIndexes = []FullIndex{{"p", 4, 2, 1280, 8000}, {"q", 4, 4, 1280, 16000}}
		},
		"Pool q got no request. See": func(d *Document) {
			d.Traffic.IdlePools = []IdlePool{{Name: "p", Replicas: 8, Idle: 4}, {Name: "q", Replicas: 2, Idle: 2}}
		},
		"Pool p: 4 of 8 replicas got no request. See": func(d *Document) {
			d.Traffic.IdlePools = []IdlePool{{Name: "p", Replicas: 8, Idle: 4}, {Name: "q", Replicas: 8, Idle: 1}}
		},
		"The run is overloaded: of the requests that arrive in its second half, 33% stay in the cluster. Its latencies grow with its length": func(d *Document) {
			d.Traffic.BacklogGrowth, d.Overall.Queueing.Mean = &third, 9
		},
	} {
		got := RunFindings([]*Document{quiet(1, change)})
		if len(got) != 1 || !strings.HasPrefix(got[0].String(), want) {
			t.Errorf("%v, want %q", got, want)
		}
	}
}
