// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// TestAgainstPlain holds the simulator against the plain one, to the last
// bucket of every histogram.
func TestAgainstPlain(t *testing.T) {
	for seed := range int64(4000) {
		compareWithPlain(t, randomBytes(seed))
		if t.Failed() {
			t.Fatalf("scenario %d", seed)
		}
	}
}

func FuzzAgainstPlain(f *testing.F) {
	for seed := range int64(20) {
		f.Add(randomBytes(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2000 {
			compareWithPlain(t, data)
		}
	})
}

// features are what the simulator does beside serving.
var features = map[string][]feature{
	"tiers":                   {randomTiers},
	"hand-overs":              {randomHandoffs},
	"disruptions":             {randomDisruptions},
	"tiers, hand-overs":       {randomTiers, randomHandoffs},
	"tiers, disruptions":      {randomTiers, randomDisruptions},
	"hand-overs, disruptions": {randomHandoffs, randomDisruptions},
	"a router that holds":     {randomHolds},
	"holds, disruptions":      {randomHolds, randomDisruptions},
	"adapters":                {randomAdapters},
	"adapters, disruptions":   {randomAdapters, randomDisruptions},
	"adapters, tiers":         {randomAdapters, randomTiers},
	"adapters, hand-overs":    {randomAdapters, randomHandoffs},
	"evictions":               {randomHolds, randomEvictions},
	"evictions, tiers":        {randomTiers, randomHolds, randomEvictions},
	"evictions, hand-overs":   {randomHandoffs, randomHolds, randomEvictions},
	"evictions, disruptions":  {randomDisruptions, randomHolds, randomEvictions},
	"admission":               {randomAdmission},
	"admission, holds":        {randomAdmission, randomHolds, randomEvictions},
	"admission, hand-overs":   {randomAdmission, randomHandoffs, randomDisruptions},
	"admission, closed loop":  {randomAdmission, randomClosedLoop},
	"admission, time-outs":    {randomAdmission, randomTimeOuts},
	"admission, all":          {randomAdmission, randomTimeOuts, randomClosedLoop, randomTiers, randomHandoffs, randomDisruptions, randomHolds, randomAdapters, randomEvictions},
	"exports":                 {randomExports},
	"exports, live":           {randomExports, randomLive},
	"exports, tiers":          {randomTiers, randomExports},
	"exports, hand-overs":     {randomTiers, randomHandoffs, randomExports, randomDisruptions},
	"exports, all":            {randomAdmission, randomTimeOuts, randomClosedLoop, randomTiers, randomHandoffs, randomDisruptions, randomHolds, randomAdapters, randomEvictions, randomExports, randomLive},
	"live replicas":           {randomLive},
	"live, admission, holds":  {randomAdmission, randomHolds, randomEvictions, randomLive},
	"live, closed loop":       {randomTimeOuts, randomClosedLoop, randomHolds, randomLive},
	"live, disruptions":       {randomTiers, randomHandoffs, randomDisruptions, randomHolds, randomLive},
	"live, all":               {randomAdmission, randomTimeOuts, randomClosedLoop, randomTiers, randomHandoffs, randomDisruptions, randomHolds, randomAdapters, randomEvictions, randomLive},
	"closed loop":             {randomClosedLoop},
	"closed loop, tiers":      {randomClosedLoop, randomTiers},
	"closed loop, hand-overs": {randomClosedLoop, randomHandoffs, randomDisruptions},
	"closed loop, holds":      {randomClosedLoop, randomHolds, randomEvictions, randomDisruptions},
	"closed loop, all":        {randomClosedLoop, randomTiers, randomHandoffs, randomDisruptions, randomHolds, randomAdapters, randomEvictions},
	"time-outs":               {randomTimeOuts},
	"time-outs, tiers":        {randomTimeOuts, randomTiers},
	"time-outs, hand-overs":   {randomTimeOuts, randomHandoffs},
	"time-outs, disruptions":  {randomTimeOuts, randomDisruptions},
	"time-outs, holds":        {randomTimeOuts, randomHolds},
	"time-outs, evictions":    {randomTimeOuts, randomHolds, randomEvictions},
	"time-outs, closed loop":  {randomTimeOuts, randomClosedLoop},
	"time-outs, all":          {randomTimeOuts, randomClosedLoop, randomTiers, randomHandoffs, randomDisruptions, randomHolds, randomAdapters, randomEvictions},
	"scaling":                 {randomScaling},
	"scaling, tiers":          {randomTiers, randomScaling},
	"scaling, hand-overs":     {randomHandoffs, randomScaling},
	"scaling, closed loop":    {randomClosedLoop, randomTimeOuts, randomScaling},
	"scaling, holds":          {randomHolds, randomEvictions, randomScaling},
	"scaling, all":            {randomAdmission, randomTimeOuts, randomClosedLoop, randomTiers, randomHandoffs, randomHolds, randomAdapters, randomEvictions, randomExports, randomScaling},
	"scaling, live":           {randomAdmission, randomTiers, randomHandoffs, randomHolds, randomEvictions, randomLive, randomScaling},
	"ranks":                   {randomRanks},
	"ranks, tiers":            {randomTiers, randomAdapters, randomRanks},
	"ranks, hand-overs":       {randomHandoffs, randomRanks},
	"ranks, disruptions":      {randomDisruptions, randomRanks},
	"ranks, holds":            {randomAdmission, randomHolds, randomEvictions, randomRanks},
	"ranks, closed loop":      {randomClosedLoop, randomTimeOuts, randomLive, randomRanks},
	"ranks, all":              {randomAdmission, randomTimeOuts, randomClosedLoop, randomTiers, randomHandoffs, randomDisruptions, randomHolds, randomAdapters, randomEvictions, randomExports, randomLive, randomRanks},
	"speculation":             {randomSpeculation},
	"speculation, tiers":      {randomSpeculation, randomTiers},
	"speculation, hand-overs": {randomSpeculation, randomHandoffs},
	"speculation, evictions":  {randomSpeculation, randomHolds, randomEvictions, randomTimeOuts},
	"speculation, all":        {randomSpeculation, randomAdmission, randomTimeOuts, randomClosedLoop, randomTiers, randomHandoffs, randomDisruptions, randomHolds, randomAdapters, randomEvictions, randomExports},
	"speculation, ranks":      {randomSpeculation, randomHandoffs, randomRanks},
	"speculation, scaling":    {randomSpeculation, randomTiers, randomHandoffs, randomExports, randomLive, randomScaling},
	"all":                     {randomTiers, randomHandoffs, randomDisruptions, randomHolds, randomAdapters, randomEvictions},
}

// TestFeaturesAgainstPlain holds the simulator against the plain one where there
// is more than serving to do.
func TestFeaturesAgainstPlain(t *testing.T) {
	for name, with := range features {
		t.Run(name, func(t *testing.T) {
			for seed := range int64(400) {
				compareWithPlain(t, randomChoices(seed, 120, 500), with...)
				if t.Failed() {
					t.Fatalf("scenario %d", seed)
				}
			}
		})
	}
}

func FuzzFeaturesAgainstPlain(f *testing.F) {
	for seed := range int64(20) {
		f.Add(randomBytes(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 2000 {
			compareWithPlain(t, data, features["all"]...)
			compareWithPlain(t, data, features["closed loop, all"]...)
			compareWithPlain(t, data, features["time-outs, all"]...)
			compareWithPlain(t, data, features["admission, all"]...)
			compareWithPlain(t, data, features["exports, all"]...)
			compareWithPlain(t, data, features["scaling, all"]...)
			compareWithPlain(t, data, features["ranks, all"]...)
		}
	})
}

// compareWithPlain runs a scenario on both, and once more with the invariants
// checked: some shortcuts are only taken where nobody watches.
func compareWithPlain(t *testing.T, data []byte, with ...feature) {
	t.Helper()
	plain := randomConfigWith(data, with...)
	plain.Series = randomSeries(data)
	want := runPlain(plain)
	for _, checked := range []bool{false, true} {
		config := randomConfigWith(data, with...)
		config.CheckInvariants, config.Series = checked, plain.Series
		got, err := Run(context.Background(), config)
		if err != nil {
			t.Fatal(err)
		}
		forgetLinks(got)
		if diff := difference(want, got); diff != "" {
			t.Errorf("outcome, checked: %v (-plain +got):\n%s", checked, diff)
		}
		if diff := cmp.Diff(heardOf(&plain), heardOf(&config)); diff != "" {
			t.Errorf("what the source heard, checked: %v (-plain +got):\n%s", checked, diff)
		}
		if diff := cmp.Diff(scatterOf(&plain).orders.lines(), scatterOf(&config).orders.lines()); diff != "" {
			t.Errorf("what the schedulers heard, checked: %v (-plain +got):\n%s", checked, diff)
		}
		if diff := cmp.Diff(scatterOf(&plain).log, scatterOf(&config).log); diff != "" {
			t.Errorf("what the router saw and heard, checked: %v (-plain +got):\n%s", checked, diff)
		}
	}
}

// watchClosely has a controller meddle with caches that are a little short.
func watchClosely(c *simulator.Config, form stability.Form, admission simulator.StabilityAdmission) {
	c.Pools[0].KVBlocks = 900
	c.Pools[0].Stability = &simulator.Stability{Form: form, Config: stability.DefaultConfig(), Evict: true, Admission: admission}
}

// forgetLinks takes out what the network counts, which has an oracle of its own.
func forgetLinks(o *simulator.Result) {
	for i := range o.Replicas {
		o.Replicas[i].Links = nil
	}
}

// TestAgainstPlainUnderLoad holds the two together on requests of real lengths,
// where caches are full and batches are long, with and without preemption.
func TestAgainstPlainUnderLoad(t *testing.T) {
	for name, change := range map[string]func(*simulator.Config){
		"room for all":     func(*simulator.Config) {},
		"preemption":       func(c *simulator.Config) { c.Pools[0].KVBlocks = 300 },
		"full prompts fit": func(c *simulator.Config) { c.Pools[0].KVBlocks, c.Pools[0].ReserveFullPrompt = 300, true },
		"drafts":           func(c *simulator.Config) { speculate(c, 3, 0.8, 0.6, 0.3) },
		"drafts that preempt": func(c *simulator.Config) {
			c.Pools[0].KVBlocks = 300
			speculate(c, 3, 0.8, 0.6, 0.3)
		},
		"drafts and a small budget": func(c *simulator.Config) {
			c.Pools[0].MaxNumBatchedTokens = 64
			speculate(c, 0, 0.7, 0.2)
		},
		"small budget": func(c *simulator.Config) { c.Pools[0].MaxNumBatchedTokens = 64 },
		"a controller that evicts and holds back": func(c *simulator.Config) { watchClosely(c, stability.FormQueueing, simulator.AdmitOrQueue) },
		"the literal controller":                  func(c *simulator.Config) { watchClosely(c, stability.FormQueueingSeed, simulator.AdmitOrQueue) },
		"a controller that turns away":            func(c *simulator.Config) { watchClosely(c, stability.FormQueueing, simulator.AdmitOrRefuse) },
		"a router that counts": func(c *simulator.Config) {
			c.Policies.Routing = (&leastWaiting{}).routing()
			c.Pools[0].Cost = latency.PhysicsRequestCost()
		},
	} {
		t.Run(name, func(t *testing.T) {
			config := func() simulator.Config {
				c := simulator.Config{
					Pools: []simulator.Pool{llamaPool(t, 3)}, Policies: policy.RoutedBy(&scatter{deaf: true}),
					Source:  workload.NewClients(referenceClients(75), 1),
					Horizon: simulator.Horizon{Requests: 600, WarmUp: time.Second, Drain: time.Hour},
				}
				c.Pools[0].KVBlocks, c.Pools[0].MaxNumBatchedTokens = 4000, 2048
				change(&c)
				return c
			}
			want := runPlain(config())
			got, err := Run(context.Background(), config())
			if err != nil {
				t.Fatal(err)
			}
			if diff := difference(want, got); diff != "" {
				t.Errorf("outcome (-plain +got):\n%s", diff)
			}
			sum := sumCells(got)
			t.Logf("%d preemptions, %d tokens cached, %d turned away", sum.Preemptions, sum.CachedTokens, sum.Rejected)
		})
	}
}
