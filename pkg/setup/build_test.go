// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/latency"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/workload"
)

const ownTable = `prefill:
  newTokens: [1, 8192]
  contextTokens: [0, 131072]
  microseconds: [[6000, 9000], [200000, 400000]]
decode:
  sequences: [1, 256]
  contextTokens: [1, 131072]
  microseconds: [[6000, 7000], [12000, 90000]]
`

func TestBuildEngineSettings(t *testing.T) {
	usual := mustBuild(t, func(*v1alpha1.Scenario) {}).Pools[0]
	if !usual.ReserveFullPrompt || usual.LongPrefillTokens != 0 || usual.WatchQueue {
		t.Errorf("the defaults are not those of vLLM: %+v", usual)
	}
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.Engine)
		// want is what the setting changes of the usual pool.
		want func(*simulator.Pool)
	}{
		"chunk by chunk":  {func(e *v1alpha1.Engine) { e.ReserveFullPrompt = v1alpha1.Disabled }, func(p *simulator.Pool) { p.ReserveFullPrompt = false }},
		"capped prefill":  {func(e *v1alpha1.Engine) { e.LongPrefillTokenThreshold = 512 }, func(p *simulator.Pool) { p.LongPrefillTokens = 512 }},
		"bounded queue":   {func(e *v1alpha1.Engine) { e.MaxNumQueuedReqs = ptr.To[int32](64) }, func(p *simulator.Pool) { p.MaxQueuedRequests = ptr.To(64) }},
		"no prompts":      {func(e *v1alpha1.Engine) { e.MaxNumQueuedTokens = ptr.To[int32](0) }, func(p *simulator.Pool) { p.MaxQueuedTokens = ptr.To(0) }},
		"a watched queue": {func(e *v1alpha1.Engine) { e.QueueMetrics = v1alpha1.Enabled }, func(p *simulator.Pool) { p.WatchQueue = true }},
	} {
		t.Run(name, func(t *testing.T) {
			want := usual
			tc.want(&want)
			got := mustBuild(t, func(s *v1alpha1.Scenario) { tc.edit(&s.Pools[0].Engine) }).Pools[0]
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(simulator.Pool{}, "Timer", "Scheduler")); diff != "" {
				t.Errorf("pool (−want +got):\n%s", diff)
			}
		})
	}
}

func TestEngineVersion(t *testing.T) {
	for written, want := range map[string]latency.EngineVersion{"": latency.DefaultEngineVersion, "0.15": 15, "v0.9.2": 9} {
		in := buildValid(t, func(s *v1alpha1.Scenario) { s.Pools[0].Engine.Version = written }).in
		instance, errs := buildInstance(&in.Pools[0], latency.Builtin(), nil)
		if len(errs) > 0 || instance.EngineVersion != want {
			t.Errorf("%q is vLLM %s, %v; want %s", written, instance.EngineVersion, errs, want)
		}
	}
	_, faults := build(t, func(s *v1alpha1.Scenario) { s.Pools[0].Engine.Version = "0.25.1" })
	wantFault(t, faults, "spec.scenario.pools[0].engine.version", "the known ones are 0.6 to 0.24; the nearest is 0.24")
}

func TestAsynchronousSchedulingFollowsTheVersion(t *testing.T) {
	linear := &v1alpha1.LinearCoefficients{BaseMicroseconds: "7000", PerPrefillTokenMicroseconds: "18", PerDecodeTokenMicroseconds: "3"}
	for name, tc := range map[string]struct {
		engine v1alpha1.Engine
		model  v1alpha1.LatencyModel
		want   bool
	}{
		"vLLM 0.13":                 {v1alpha1.Engine{Version: "0.13.0"}, v1alpha1.RooflineModel, false},
		"vLLM 0.14":                 {v1alpha1.Engine{Version: "0.14"}, v1alpha1.RooflineModel, true},
		"by default":                {v1alpha1.Engine{}, v1alpha1.RooflineModel, latency.DefaultEngineVersion.AsynchronousScheduling()},
		"with the flag":             {v1alpha1.Engine{Version: "0.11", AsynchronousScheduling: v1alpha1.Enabled}, v1alpha1.RooflineModel, true},
		"against the flag":          {v1alpha1.Engine{Version: "0.15", AsynchronousScheduling: v1alpha1.Disabled}, v1alpha1.RooflineModel, false},
		"fitted before":             {v1alpha1.Engine{Version: "0.15"}, v1alpha1.PhysicsModel, false},
		"fitted before, older":      {v1alpha1.Engine{Version: "0.15"}, v1alpha1.LinearModel, false},
		"fitted before, overridden": {v1alpha1.Engine{AsynchronousScheduling: v1alpha1.Enabled}, v1alpha1.LinearModel, true},
	} {
		t.Run(name, func(t *testing.T) {
			pool := mustBuild(t, func(s *v1alpha1.Scenario) {
				s.Pools[0].Latency = v1alpha1.Latency{Model: tc.model}
				if tc.model == v1alpha1.LinearModel {
					s.Pools[0].Latency.Linear = linear
				}
				s.Pools[0].Engine.Version, s.Pools[0].Engine.AsynchronousScheduling = tc.engine.Version, tc.engine.AsynchronousScheduling
			}).Pools[0]
			if pool.AsynchronousScheduling != tc.want {
				t.Errorf("asynchronous: %v, want %v", pool.AsynchronousScheduling, tc.want)
			}
		})
	}
}

// TestPagesStateDefaults holds the words of the pages against the constants.
func TestPagesStateDefaults(t *testing.T) {
	wantOnPage(t, "api.md", fmt.Sprintf("The default is %s.", latency.DefaultEngineVersion))
	wantOnPage(t, "workloads.md", fmt.Sprintf("Its default is %v", workload.DefaultTurnaround))
	wantOnPage(t, "reference.md", fmt.Sprintf("with 0s they stay in step. It is derived: %v", workload.DefaultTurnaround))
	wantOnPage(t, "reference.md", fmt.Sprintf("from %s to %s. It determines asynchronous scheduling, the fixed costs of a step and the table of all-reduce times. It is derived: %s.",
		latency.OldestEngineVersion, latency.NewestEngineVersion, latency.DefaultEngineVersion))
}

func wantOnPage(t *testing.T, page, want string) {
	t.Helper()
	text := testfile.Read(t, "../../docs/"+page)
	if !strings.Contains(string(text), want) {
		t.Errorf("docs/%s does not say: %s", page, want)
	}
}

func TestTurnaroundOfUsers(t *testing.T) {
	steady := &v1alpha1.Durations{Distribution: v1alpha1.ConstantDurations, Mean: ptr.To[v1alpha1.Duration]("3s")}
	varied := &v1alpha1.Durations{Distribution: v1alpha1.ExponentialDurations, Mean: ptr.To[v1alpha1.Duration]("3s")}
	for name, tc := range map[string]struct {
		loop     v1alpha1.ClosedLoop
		sessions *v1alpha1.Sessions
		want     time.Duration
	}{
		"without a think time":                {v1alpha1.ClosedLoop{}, nil, workload.DefaultTurnaround},
		"none":                                {v1alpha1.ClosedLoop{Turnaround: ptr.To[v1alpha1.Duration]("0s")}, nil, 0},
		"beside a constant think time":        {v1alpha1.ClosedLoop{ThinkTime: steady}, nil, workload.DefaultTurnaround},
		"beside one that varies":              {v1alpha1.ClosedLoop{ThinkTime: varied}, nil, 0},
		"stated beside one that varies":       {v1alpha1.ClosedLoop{ThinkTime: varied, Turnaround: ptr.To[v1alpha1.Duration]("4ms")}, nil, 4 * time.Millisecond},
		"in sessions":                         {v1alpha1.ClosedLoop{}, &v1alpha1.Sessions{}, workload.DefaultTurnaround},
		"in sessions whose think time varies": {v1alpha1.ClosedLoop{}, &v1alpha1.Sessions{ThinkTime: varied}, 0},
	} {
		if got := buildTurnaround(&v1alpha1.Client{ClosedLoop: &tc.loop, Sessions: tc.sessions}); got != tc.want {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}

// A cost that is given replaces that of the preset, 0 too.
func TestPresetsOfRequestCost(t *testing.T) {
	for name, tc := range map[string]struct {
		in   v1alpha1.RequestCost
		want latency.RequestCost
	}{
		"direct":  {v1alpha1.RequestCost{Preset: v1alpha1.DirectRequestCost}, latency.DirectWay.Cost()},
		"gateway": {v1alpha1.RequestCost{Preset: v1alpha1.GatewayRequestCost}, latency.GatewayWay.Cost()},
		"none":    {v1alpha1.RequestCost{Preset: v1alpha1.NoRequestCost}, latency.RequestCost{}},
		"a base of its own": {
			v1alpha1.RequestCost{Preset: v1alpha1.DirectRequestCost, QueueBaseMicroseconds: "0", CompletionMicroseconds: "7"},
			latency.RequestCost{QueuePerInputToken: latency.DirectWay.Cost().QueuePerInputToken, Completion: 7 * time.Microsecond},
		},
	} {
		got := buildValid(t, func(s *v1alpha1.Scenario) { s.Pools[0].RequestCost = &tc.in }).config.Pools[0].Cost
		if got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}

// The reference states what the presets cost.
func TestTheReferenceStatesPresetsOfRequestCost(t *testing.T) {
	raw := testfile.Read(t, "../../docs/reference.md")
	direct, gateway := latency.DirectWay.Cost(), latency.GatewayWay.Cost()
	want := fmt.Sprintf("%d ms and %g µs for each token of the prompt. Gateway is a gateway with an EPP too: %d ms and %g µs",
		direct.QueueBase.Milliseconds(), float64(direct.QueuePerInputToken)/1e3, gateway.QueueBase.Milliseconds(), float64(gateway.QueuePerInputToken)/1e3)
	if !strings.Contains(string(raw), want) {
		t.Errorf("the reference lacks %q", want)
	}
}

func TestRequestCostOfEveryLatencyModel(t *testing.T) {
	for name, in := range map[string]v1alpha1.Latency{
		"roofline": {Model: v1alpha1.RooflineModel},
		"physics":  {Model: v1alpha1.PhysicsModel},
		"table":    {Model: v1alpha1.TableModel, Table: &v1alpha1.TableSource{Inline: ptr.To(ownTable)}},
		"linear": {Model: v1alpha1.LinearModel, Linear: &v1alpha1.LinearCoefficients{
			BaseMicroseconds: "7000", PerPrefillTokenMicroseconds: "18", PerDecodeTokenMicroseconds: "3"}},
	} {
		t.Run(name, func(t *testing.T) {
			free := mustBuild(t, func(s *v1alpha1.Scenario) { s.Pools[0].Latency = in }).Pools[0]
			if free.Cost != (latency.RequestCost{}) {
				t.Errorf("nobody asked for %+v", free.Cost)
			}
			published := mustBuild(t, func(s *v1alpha1.Scenario) {
				s.Pools[0].Latency = in
				s.Pools[0].RequestCost = &v1alpha1.RequestCost{
					QueueBaseMicroseconds: "15563", PerOutputTokenMicroseconds: "45", CompletionMicroseconds: "777",
				}
			}).Pools[0]
			if diff := cmp.Diff(latency.PhysicsRequestCost(), published.Cost); diff != "" {
				t.Errorf("cost (−want +got):\n%s", diff)
			}
		})
	}
}

func TestBuildRooflineCoefficients(t *testing.T) {
	in := &v1alpha1.RooflineCoefficients{
		MemoryEfficiency: "0.1", PrefillEfficiency: "0.2", DecodeEfficiency: "0.3", ExpertEfficiency: "0.4", ExpertImbalance: "1.5",
		KVEfficiency: "0.6", ExpertMemoryEfficiency: "0.7", EagerLayerOverheadMicroseconds: "10",
		StepOverheadMicroseconds: "1", LayerOverheadMicroseconds: "2", SequenceOverheadMicroseconds: "3", TokenOverheadMicroseconds: "4",
		AllReduceLatencyMicroseconds: "5", DispatchLatencyMicroseconds: "6", DispatchTokenOverheadMicroseconds: "0.007",
		AllReduce: []v1alpha1.AllReduceTime{{Bytes: 1024, Microseconds: "8"}, {Bytes: 4096, Microseconds: "9.5"}},
	}
	want := latency.RooflineCoefficients{
		MemoryEfficiency: 0.1, PrefillEfficiency: 0.2, DecodeEfficiency: 0.3, ExpertEfficiency: 0.4, ExpertImbalance: 1.5,
		KVEfficiency: 0.6, ExpertMemoryEfficiency: 0.7, EagerLayerOverhead: 10 * time.Microsecond,
		StepOverhead: time.Microsecond, LayerOverhead: 2 * time.Microsecond, SequenceOverhead: 3 * time.Microsecond, TokenOverhead: 4 * time.Microsecond, LinkEfficiency: 0.5,
		AllReduceLatency: 5 * time.Microsecond, DispatchLatency: 6 * time.Microsecond, DispatchTokenOverhead: 7,
		AllReduce: []latency.AllReduceTime{{Bytes: 1024, Microseconds: 8}, {Bytes: 4096, Microseconds: 9.5}},
	}
	got, errs := buildRoofline(in, latency.RooflineCoefficients{LinkEfficiency: 0.5}, field.NewPath("roofline"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("coefficients (−want +got):\n%s", diff)
	}
}

func TestQuantizationGivesMoreKVBlocks(t *testing.T) {
	blocks := func(weights v1alpha1.Precision, kv v1alpha1.KVPrecision) int {
		return mustBuild(t, func(s *v1alpha1.Scenario) {
			s.Pools[0].Quantization = v1alpha1.Quantization{Weights: weights, KVCache: kv, Activations: "auto"}
		}).Pools[0].ReportedBlocks
	}
	plain := blocks("auto", "auto")
	if got := blocks("bf16", "bf16"); got != plain {
		t.Errorf("bf16 has room for %d blocks, auto for %d", got, plain)
	}
	if got := blocks("fp8", "auto"); got <= plain {
		t.Errorf("fp8 weights leave room for %d blocks, bf16 for %d", got, plain)
	}
	if got := blocks("auto", "fp8"); got < 2*plain || got > 2*plain+1 {
		t.Errorf("an fp8 cache has room for %d blocks, one in bf16 for %d", got, plain)
	}
}

func TestEngineMemoryReducesKVBlocks(t *testing.T) {
	blocks := func(edit func(*v1alpha1.KVCache)) int {
		return mustBuild(t, func(s *v1alpha1.Scenario) { edit(&s.Pools[0].KVCache) }).Pools[0].ReportedBlocks
	}
	const gib = 1 << 30
	plain := blocks(func(*v1alpha1.KVCache) {})
	if got := blocks(func(c *v1alpha1.KVCache) { c.ActivationBytes = ptr.To[int64](gib * 7 / 2) }); got != plain+gib*2/(16*131072) {
		t.Errorf("2 GiB less of activations give %d blocks, the default %d", got, plain)
	}
	if got := blocks(func(c *v1alpha1.KVCache) { c.RuntimeBytes = ptr.To[int64](gib) }); got >= plain {
		t.Errorf("1 GiB of runtime gives %d blocks, the default %d", got, plain)
	}
	if got := blocks(func(c *v1alpha1.KVCache) { c.Blocks, c.RuntimeBytes = ptr.To[int32](100), ptr.To[int64](gib) }); got != 100 {
		t.Errorf("100 blocks are %d", got)
	}
}

func TestEngineReservesOneBlock(t *testing.T) {
	pool := mustBuild(t, func(s *v1alpha1.Scenario) { s.Pools[0].KVCache.Blocks = ptr.To[int32](100) }).Pools[0]
	if pool.KVBlocks != 99 || pool.ReportedBlocks != 100 {
		t.Errorf("of 100 blocks %d can be used and %d are reported, want 99 and 100", pool.KVBlocks, pool.ReportedBlocks)
	}
}

func TestBuildCopies(t *testing.T) {
	copies := func(s *v1alpha1.Scenario) {
		s.Workload.Clients[0].Copies = &v1alpha1.Copies{Count: 3, ZipfExponent: "1", Prefixes: v1alpha1.OwnPrefixes}
	}
	got := mustBuild(t, copies).Source.Labels().Clients
	if diff := cmp.Diff([]string{"chat-1", "chat-2", "chat-3"}, got); diff != "" {
		t.Errorf("clients (−want +got):\n%s", diff)
	}
	users := mustBuild(t, func(s *v1alpha1.Scenario) {
		c := &s.Workload.Clients[0]
		c.Copies, c.Arrivals = &v1alpha1.Copies{Count: 100_000}, v1alpha1.Arrivals{}
		c.ClosedLoop = &v1alpha1.ClosedLoop{Concurrency: 1}
	}).Source.Labels().Clients
	if len(users) != 100_000 {
		t.Errorf("%d users of a closed loop, want 100000", len(users))
	}
	for name, tc := range map[string]struct {
		edit func(*v1alpha1.Scenario)
		want string
	}{
		"a name that a copy has": {func(s *v1alpha1.Scenario) {
			copies(s)
			s.Workload.Clients = append(s.Workload.Clients, s.Workload.Clients[0])
			s.Workload.Clients[1].Name, s.Workload.Clients[1].Copies = "chat-2", nil
		}, `spec.scenario.workload.clients[1].name: Duplicate value: "chat-2"`},
		"shares that grow too steeply": {func(s *v1alpha1.Scenario) {
			copies(s)
			s.Workload.Clients[0].Copies.ZipfExponent = "11"
		}, "spec.scenario.workload.clients[0].copies.zipfExponent: Invalid value: 11"},
		"more clients than there may be": {func(s *v1alpha1.Scenario) {
			s.Workload.Clients[0].Copies = &v1alpha1.Copies{Count: 100_000, Arrivals: v1alpha1.RandomArrivals}
			s.Workload.Clients = append(s.Workload.Clients, s.Workload.Clients[0])
			s.Workload.Clients[1].Name = "more"
		}, "spec.scenario.workload.clients: Too many: 200000"},
		"more clients with arrivals of their own than there may be": {func(s *v1alpha1.Scenario) {
			s.Workload.Clients[0].Copies = &v1alpha1.Copies{Count: 10_000}
			s.Workload.Clients = append(s.Workload.Clients, s.Workload.Clients[0])
			s.Workload.Clients[1].Name = "more"
		}, "spec.scenario.workload.clients: Invalid value: 20000: at most 10000 clients and copies have arrivals of their own"},
	} {
		t.Run(name, func(t *testing.T) {
			_, errs := build(t, tc.edit)
			if len(errs) != 1 || !strings.HasPrefix(errs[0], tc.want) {
				t.Errorf("faults are %q, want %q", errs, tc.want)
			}
		})
	}
}
