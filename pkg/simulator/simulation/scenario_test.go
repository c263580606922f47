// SPDX-License-Identifier: Apache-2.0

package simulation

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/internal/testing/testfile"
	"windtunnel.dev/windtunnel/pkg/kv"
	"windtunnel.dev/windtunnel/pkg/kv/transfer"
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/policy/epp"
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/route"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/internal/gateway"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// TestScenarios runs the scripts under testdata, each on the simulator and on the
// plain one. A script opens with the behaviour that it pins. Then come lines of a
// verb and key=value words:
//
//	pool      replicas, step (duration of each step), blocks (count x tokens),
//	          seqs, budget (tokens a step), caching, maxlen, longprefill, reserve, asynchronous,
//	          maxqueued and maxqueuedtokens (what the engine lets in),
//	          initialhits (share), scheduler (fcfs, priority, shortest), queue, queuepertoken, pertoken, completion
//	          Ranks: ranks (of one replica), lockstep (time of a token of a rank's own:time
//	          of a token of any rank; they step together), oneport (the engine chooses)
//	          Routes: router (that has the pool)
//	          Speculation: drafts (a step), lookahead, acceptance (shares, comma-separated).
//	          Adapters: adapters (places), adapterload (time to load one).
//	          Tiers: blockbytes; cpu and storage (blocks), shared (which of them),
//	          the links tohost, togpu, cpu.read, cpu.write, storage.read and
//	          storage.write; offload (eager, lazy, or threshold:share), thrash
//	          (window); gpuorder, cpu.order and storage.order (lru, lfu, priority).
//	          A link is latency@bytes per second; one that is not given takes no time.
//	stability form (queueing, queueing-seed) of the pool above, evict, admission
//	          (queue, refuse), window, margin, deviations, interval, completions
//	router    roundrobin; or fixed with to=endpoints in turn ("-" refuses, and
//	          prefill>decode lets one compute the prompt for the other). With
//	          hold, one request a multiple of hold leaves the gateway, that with
//	          the highest priority first; full and ttl say how many may wait there
//	          and how long. Or an EPP, with epp=the file of its configuration
//	route     to=ROUTER:WEIGHT,…: where the requests that name an adapter go, or all of
//	          them; the first rule that matches counts. Each router is as the one above
//	          and chooses among its own endpoints, numbered from 0
//	rewrite   ROUTER to=ADAPTER:WEIGHT,…: which adapter serves the requests of a router
//	          that name an adapter, or all of them; 0 is the base model
//	revoke    TIME NAME: the router, which holds requests, ends one that it has
//	          sent, when it is asked first from then on. The request stands above;
//	          lines are in order of time
//	handoff   egress and ingress (links), granularity (block, chunk, stream),
//	          start (share), single, pending
//	disrupt   TIME fail, drain or recover ENDPOINT
//	          Scaling, of the pool: max (replicas), provisioning, imagepull, modelload,
//	          warmup (duration:curve:penalty), ending (served, atonce, elsewhere),
//	          timeout, poll, node (1 for the first node pool), accelerators
//	nodes     accelerators, nodes, max, provisioning, idle
//	scaler    pools (by number, comma-separated), every, scrape, delay, min; wants
//	          (time:replicas, comma-separated, of two pools time:prefill/decode), or
//	          policy with its parameters as with.NAME
//	await     how long requests wait where no replica serves
//	stage     TIME ENDPOINT STAGE: a replica that comes into a stage. Where a script
//	          has any, it lists all of them, in order.
//	scrape    every, first (by endpoint, comma-separated)
//	horizon   requests, duration, warmup, drain
//	timeout   first, total: how long all clients wait for the first token, and for
//	          the last one
//	retry     max, backoff, jitter: all clients send a request again that was not
//	          answered. The second retry of a request a is called a.2
//	target    ttft, tpot, e2e
//	request   NAME at, output, priority, chunk (a hint), adapter, prompt: texts text:tokens or text@start:tokens,
//	          joined by "+". Equal texts are equal tokens; own is the request's
//	          own text, answer/NAME what an engine generated for that request.
//	expect    NAME …: what became of a request, see recorder.request
//	expect    total …: sums over cells and replicas, see scenario.totals
//	expect    state REPLICA …: what its controller knew when arrivals ended
//	view      NAME …: what the router saw of endpoint 0 when it chose where the
//	          request goes, and how many endpoints were down
//	heard     TIME ENDPOINT BLOCK …: what the router was told then of an
//	          endpoint's cache, where it is told of it: request.number is block
//	          number of the first request that has it, with + stored and with -
//	          removed, cpu+ and storage+ are tiers below, cleared is all of it.
//	          Where a script has any, it lists all of them, by time and endpoint.
//	batch     TIME REPLICA name:tokens …: one step. Where a script has any,
//	          it lists all of them in order.
//
// Expectations are exact, and only name what they are about.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text := testfile.Read(t, file)
			newScenario(t, string(text)).run()
		})
	}
}

// scenario is a script as it is read.
type scenario struct {
	t        *testing.T
	config   simulator.Config
	first    []time.Duration
	router   *scriptRouter
	picker   *config.Config // nil where the script is the router
	requests []workload.Request
	names    []string
	expect   []line
	batches  []string
	heard    []string
	stages   []string
	scalers  []func() simulator.ScaledUnit
	patience struct{ first, total time.Duration }
	retry    *workload.Retry // nil where no client tries again
	rules    []route.Rule
	rewrites map[int][]route.Rewrite // by router
}

func newScenario(t *testing.T, text string) *scenario {
	router := &scriptRouter{}
	c := &scenario{t: t, router: router, config: simulator.Config{CheckInvariants: true}, rewrites: map[int][]route.Rewrite{}}
	if !strings.HasPrefix(text, "# ") {
		t.Fatal("a scenario opens with the behaviour that it pins")
	}
	c.config.Horizon.Drain = time.Hour
	for i, words := range strings.Split(text, "\n") {
		if words = strings.TrimSpace(words); words == "" || words[0] == '#' {
			continue
		}
		c.read(newLine(t, i+1, words))
	}
	c.config.Policies.Routing = router.routing()
	return c
}

func (c *scenario) read(l line) {
	switch l.verb {
	case "pool":
		c.config.Pools = append(c.config.Pools, l.pool())
	case "stability":
		c.config.Pools[len(c.config.Pools)-1].Stability = l.stability()
	case "router":
		if file := l.values["epp"]; file != "" {
			c.picker = readPicker(c.t, file)
		}
		c.router.fixed = l.list("to")
		c.router.scriptGate = scriptGate{hold: simtime.Time(l.duration("hold")), ttl: l.duration("ttl"), full: l.number("full")}
	case "route":
		c.rules = append(c.rules, l.rule())
	case "rewrite":
		router := l.parseNumber(l.names[0])
		c.rewrites[router] = append(c.rewrites[router], l.rewrite())
	case "revoke":
		c.router.revocations = append(c.router.revocations, revocation{simtime.Time(l.parseDuration(l.names[0])), indexOf(c.t, c.names, l.names[1])})
	case "nodes":
		c.config.NodePools = append(c.config.NodePools, l.nodePool())
	case "scaler":
		c.scalers = append(c.scalers, l.scaler(&c.config))
	case "await":
		c.config.AwaitReplicas = l.parseDuration(l.names[0])
	case "stage":
		c.stages = append(c.stages, strings.Join(l.names, " "))
	case "scrape":
		c.config.ScrapeInterval = l.duration("every")
		for _, first := range l.list("first") {
			c.first = append(c.first, l.parseDuration(first))
		}
	case "horizon":
		c.config.Horizon = simulator.Horizon{
			Requests: l.number("requests"), Duration: l.duration("duration"),
			WarmUp: l.duration("warmup"), Drain: l.duration("drain"),
		}
	case "timeout":
		c.patience.first, c.patience.total = l.duration("first"), l.duration("total")
	case "retry":
		c.retry = l.retry()
	case "handoff":
		c.config.Handoff = l.handoff()
	case "disrupt":
		c.config.Disruptions = append(c.config.Disruptions, l.disruption())
	case "target":
		c.config.Targets = append(c.config.Targets, simulator.Target{
			TTFT: l.duration("ttft"), TPOT: l.duration("tpot"), E2E: l.duration("e2e"),
		})
	case "request":
		c.names = append(c.names, l.names[0])
		c.requests = append(c.requests, l.request(len(c.requests)))
		if chunk := l.number("chunk"); chunk > 0 {
			c.hint(len(c.requests)-1, chunk)
		}
	case "expect", "view":
		c.expect = append(c.expect, l)
	case "heard":
		c.heard = append(c.heard, strings.Join(l.names, " "))
	case "batch":
		c.batches = append(c.batches, strings.Join(l.names, " "))
	default:
		c.t.Fatalf("line %d: no verb %q", l.row, l.verb)
	}
}

// hint has a policy hint the chunks of a request's prompt.
func (c *scenario) hint(request, chunk int) {
	hints, ok := c.config.Policies.Priority.(scriptHints)
	if !ok {
		hints = scriptHints{}
		c.config.Policies.Priority = hints
	}
	hints[request] = policy.Hints{PrefillChunk: chunk}
}

// scriptHints are hints by request. Priorities stay.
type scriptHints map[int]policy.Hints

func (s scriptHints) Prioritize(_ *policy.View, q *policy.Request) (int, policy.Hints) {
	return q.Priority, s[q.ID]
}

func (c *scenario) run() {
	c.runOn("plain", func(config simulator.Config, rec *recorder) (*simulator.Result, error) {
		p := newPlain(config)
		for i, first := range c.first {
			p.replicas[i].scrape = simtime.Time(first)
		}
		p.recorder = rec
		return p.run(), nil
	})
	c.runOn("simulator", func(config simulator.Config, rec *recorder) (*simulator.Result, error) {
		s := newSimulation(context.Background(), config)
		phases := s.gateway.Scrapes[0].Phases
		for i, first := range c.first {
			if first >= s.gateway.Scrapes[0].Interval {
				c.t.Fatalf("first scrape at %v, and every %v", first, s.gateway.Scrapes[0].Interval)
			}
			phases[i] = simtime.Time(first)
		}
		s.gateway.Scrapes[0] = gateway.NewScrapeSchedule(s.gateway.Scrapes[0].Interval, phases, s.gateway.Scrapes[0].Order)
		rec.s = s
		s.Observers = append(s.Observers, rec)
		return s.run()
	})
}

// runOn holds an engine against the script.
func (c *scenario) runOn(engine string, run func(simulator.Config, *recorder) (*simulator.Result, error)) {
	router := *c.router
	router.tale = newScenarioCacheEvents(c)
	again := c.config
	again.Policies.Routing = router.routing()
	if c.picker != nil {
		again.Policies.Routing = epp.New(c.picker, config.Cluster{Endpoints: endpointsOf(&again), TieBreak: config.TieFirst}, 1).Routing()
	}
	c.divide(&again, &router)
	var changes []simulator.StageChange
	again.Scaling = nil
	for _, scaler := range c.scalers {
		again.Scaling = append(again.Scaling, scaler())
	}
	again.Staged = func(s simulator.StageChange) { changes = append(changes, s) }
	rec := newRecorder(c.names)
	c.send(&again, rec)
	o, err := run(again, rec)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, l := range c.expect {
		var got map[string]string
		switch {
		case l.verb == "view":
			got = router.saw(indexOf(c.t, rec.names, l.names[0]))
		case l.names[0] == "total":
			got = totals(o)
		case l.names[0] == "state":
			got = l.state(o)
		default:
			got = rec.request(l.names[0])
		}
		want := l.values
		shown := map[string]string{}
		for key := range want {
			shown[key] = got[key]
		}
		if diff := cmp.Diff(want, shown); diff != "" {
			c.t.Errorf("%s: line %d, %s %s (-want +got):\n%s", engine, l.row, l.verb, l.names[0], diff)
		}
	}
	if len(c.heard) > 0 {
		if diff := cmp.Diff(c.heard, router.tale.lines()); diff != "" {
			c.t.Errorf("%s: heard (-want +got):\n%s", engine, diff)
		}
	}
	if len(c.stages) > 0 {
		if diff := cmp.Diff(c.stages, stages(changes)); diff != "" {
			c.t.Errorf("%s: stages (-want +got):\n%s", engine, diff)
		}
	}
	if len(c.batches) > 0 {
		if diff := cmp.Diff(c.batches, rec.inOrder()); diff != "" {
			c.t.Errorf("%s: batches (-want +got):\n%s", engine, diff)
		}
	}
}

func readPicker(t *testing.T, file string) *config.Config {
	text := testfile.Read(t, filepath.Join("testdata", file))
	c, errs := epp.Load(text, "router-v0.10", nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return c
}

func indexOf(t *testing.T, names []string, name string) int {
	t.Helper()
	i := slices.Index(names, name)
	if i < 0 {
		t.Fatalf("no request %q", name)
	}
	return i
}

// totals sums an outcome over its cells and replicas.
func totals(o *simulator.Result) map[string]string {
	sum := sumCells(o)
	var busy time.Duration
	var steps, served, evictions int64
	peak := 0.0
	m := map[string]string{}
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	for _, r := range o.Replicas {
		busy += r.Busy
		steps += r.Steps
		served += r.Served
		evictions += r.Evictions
		peak = max(peak, r.PeakKV)
	}
	sumOfTiers(o, m)
	rejected := map[int]int64{}
	for i := range o.Cells {
		rejected[o.Cells[i].Pool] += o.Cells[i].Rejected
	}
	for pool, of := range rejected {
		m[fmt.Sprintf("rejected.%d", pool)] = n(of)
	}
	for _, u := range o.Units {
		m["ups"], m["downs"], m["reversals"], m["lost"] = n(u.Ups), n(u.Downs), n(u.Reversals), n(u.Lost)
	}
	maps.Copy(m, map[string]string{
		"arrived": n(sum.Arrived), "completed": n(sum.Completed), "rejected": n(sum.Rejected), "timedout": n(sum.TimedOut), "unfinished": n(sum.Unfinished),
		"retries": n(sum.Retries), "good": n(sum.Good), "firstgood": n(sum.FirstGood), "metttft": n(sum.MetTTFT), "mettpot": n(sum.MetTPOT), "mete2e": n(sum.MetE2E),
		"prompt": n(sum.PromptTokens), "cached": n(sum.CachedTokens), "output": n(sum.OutputTokens), "gaps": n(sum.ITL.Count()),
		"promised": n(sum.PromisedTokens), "found": n(sum.FoundTokens), "kept": n(sum.KeptTokens),
		"gateway":  time.Duration(sum.GatewayQueueing.Max()).String(),
		"queueing": time.Duration(sum.Queueing.Max()).String(), "enginettft": time.Duration(sum.EngineTTFT.Max()).String(),
		"maxgap": time.Duration(sum.ITL.Max()).String(), "maxtpot": time.Duration(sum.TPOT.Max()).String(),
		"drafts": n(sum.Drafts), "drafttokens": n(sum.DraftTokens), "accepted": n(sum.AcceptedTokens),
		"preemptions": n(sum.Preemptions), "recomputed": n(sum.RecomputedTokens),
		"busy": busy.String(), "steps": n(steps), "served": n(served), "evictions": n(evictions), "peak": fmt.Sprint(peak),
		"cells": n(int64(len(o.Cells))), "measured": o.Measured.String(), "end": o.End.String(),
		"failed": n(sum.Failed), "migrated": n(sum.Migrated), "handoffs": n(sum.Handoffs),
		"adapterwaits": n(sum.AdapterWait.Count()), "adapterwait": time.Duration(sum.AdapterWait.Max()).String(),
		"handoff": time.Duration(sum.Handoff.Max()).String(), "kvload": time.Duration(sum.KVLoad.Max()).String(),
	})
	return m
}

// sumOfTiers sums the figures of tiers by kind: cpu.tokens, cpu.stored,
// cpu.loaded, cpu.evicted, cpu.thrashed, cpu.refused and cpu.peak, and those of
// storage.
func sumOfTiers(o *simulator.Result, m map[string]string) {
	for kind := range simulator.TierKinds {
		var tokens int64
		for _, c := range o.Cells {
			tokens += c.TierTokens[kind]
		}
		var u simulator.TierUse
		for _, r := range o.Replicas {
			for _, t := range r.Tiers {
				if t.Kind != kind {
					continue
				}
				u.StoredBlocks += t.StoredBlocks
				u.LoadedBlocks += t.LoadedBlocks
				u.EvictedBlocks += t.EvictedBlocks
				u.ThrashedBlocks += t.ThrashedBlocks
				u.RefusedBlocks += t.RefusedBlocks
				u.PeakShare = max(u.PeakShare, t.PeakShare)
			}
		}
		for key, v := range map[string]int64{
			"tokens": tokens, "stored": u.StoredBlocks, "loaded": u.LoadedBlocks,
			"evicted": u.EvictedBlocks, "thrashed": u.ThrashedBlocks, "refused": u.RefusedBlocks,
		} {
			m[kind.String()+"."+key] = strconv.FormatInt(v, 10)
		}
		m[kind.String()+".peak"] = fmt.Sprint(u.PeakShare)
	}
}

// line is one line of a script: a verb, words, and key=value words.
type line struct {
	t      *testing.T
	row    int
	verb   string
	names  []string
	values map[string]string
}

func newLine(t *testing.T, number int, text string) line {
	words := strings.Fields(text)
	l := line{t: t, row: number, verb: words[0], values: map[string]string{}}
	for _, word := range words[1:] {
		if key, value, ok := strings.Cut(word, "="); ok {
			l.values[key] = value
		} else {
			l.names = append(l.names, word)
		}
	}
	return l
}

func (l line) parseDuration(text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil {
		l.t.Fatalf("line %d: %v", l.row, err)
	}
	return d
}

func (l line) parseNumber(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		l.t.Fatalf("line %d: %v", l.row, err)
	}
	return n
}

func (l line) duration(key string) time.Duration {
	if text, ok := l.values[key]; ok {
		return l.parseDuration(text)
	}
	return 0
}

func (l line) number(key string) int {
	if text, ok := l.values[key]; ok {
		return l.parseNumber(text)
	}
	return 0
}

func (l line) bound(key string) *int {
	if _, ok := l.values[key]; !ok {
		return nil
	}
	n := l.number(key)
	return &n
}

func (l line) share(key string) float64 {
	if text, ok := l.values[key]; ok {
		return l.parseFloat(text)
	}
	return 0
}

func (l line) list(key string) []string {
	if l.values[key] == "" {
		return nil
	}
	return strings.Split(l.values[key], ",")
}

var schedulers = map[string]scheduling.Factory{
	"": nil, "fcfs": scheduling.FCFS, "priority": scheduling.Priority, "shortest": scheduling.ShortestPrompt,
}

func (l line) pool() simulator.Pool {
	count, tokens, _ := strings.Cut(l.values["blocks"], "x")
	p := simulator.Pool{
		Name: "pool", Router: l.number("router"), Replicas: max(l.number("replicas"), 1),
		Timer:    constantStep(l.duration("step")),
		KVBlocks: l.parseNumber(count), BlockTokens: l.parseNumber(tokens), PrefixCaching: slices.Contains(l.names, "caching"),
		MaxNumSeqs: l.number("seqs"), MaxNumBatchedTokens: l.number("budget"), MaxModelLen: l.number("maxlen"),
		LongPrefillTokens: l.number("longprefill"), InitialCacheHitRate: l.share("initialhits"), ReserveFullPrompt: slices.Contains(l.names, "reserve"),
		AsynchronousScheduling: slices.Contains(l.names, "asynchronous"), Scheduler: schedulers[l.values["scheduler"]],
	}
	p.Cost.QueueBase = l.duration("queue")
	p.Cost.QueuePerInputToken = l.duration("queuepertoken")
	p.Cost.PerOutputToken = l.duration("pertoken")
	p.Cost.Completion = l.duration("completion")
	p.BlockBytes = int64(l.number("blockbytes"))
	if l.values["drafts"] != "" {
		p.Speculation = &simulator.Speculation{Tokens: l.number("drafts"), Lookahead: l.number("lookahead")}
		for _, share := range l.list("acceptance") {
			p.Speculation.Acceptance = append(p.Speculation.Acceptance, l.parseFloat(share))
		}
	}
	if l.values["adapters"] != "" {
		p.Adapters = &simulator.AdapterPlaces{Max: l.number("adapters"), LoadTime: l.duration("adapterload")}
	}
	p.Eviction = orders[l.values["gpuorder"]]
	p.Tiers = l.tiers()
	l.ranks(&p)
	l.life(&p)
	p.MaxQueuedRequests, p.MaxQueuedTokens = l.bound("maxqueued"), l.bound("maxqueuedtokens")
	return p
}

var orders = map[string]kv.Order{"": kv.LRU, "lru": kv.LRU, "lfu": kv.LFU, "priority": kv.Priority}

func (l line) tiers() simulator.Tiers {
	t := simulator.Tiers{ToHost: l.station("tohost"), ToGPU: l.station("togpu"), Offload: l.offload()}
	for kind := range simulator.TierKinds {
		name := kind.String()
		if l.values[name] != "" {
			t.Lower = append(t.Lower, simulator.Tier{
				Kind: kind, Blocks: l.number(name), Shared: slices.Contains(l.list("shared"), name),
				Read: l.station(name + ".read"), Write: l.station(name + ".write"), Eviction: orders[l.values[name+".order"]],
			})
		}
	}
	if len(t.Lower) == 0 {
		return simulator.Tiers{}
	}
	return t
}

func (l line) offload() simulator.Offload {
	policy, share, _ := strings.Cut(l.values["offload"], ":")
	o := simulator.Offload{ThrashWindow: l.duration("thrash")}
	o.Policy = map[string]simulator.OffloadPolicy{"": simulator.OffloadEager, "eager": simulator.OffloadEager, "lazy": simulator.OffloadLazy, "threshold": simulator.OffloadThreshold}[policy]
	if o.Policy == simulator.OffloadThreshold {
		threshold, err := strconv.ParseFloat(share, 64)
		if err != nil {
			l.t.Fatalf("line %d: %v", l.row, err)
		}
		o.Threshold = threshold
	}
	return o
}

// station reads latency@bytes per second.
func (l line) station(key string) transfer.Station {
	text, ok := l.values[key]
	if !ok {
		return transfer.Station{BytesPerSecond: transfer.MaxBytesPerSecond}
	}
	latency, rate, _ := strings.Cut(text, "@")
	return transfer.Station{Latency: l.parseDuration(latency), BytesPerSecond: int64(l.parseNumber(rate))}
}

func (l line) handoff() simulator.Handoff {
	h := simulator.Handoff{
		Egress: l.station("egress"), Ingress: l.station("ingress"),
		SingleOwner: slices.Contains(l.names, "single"), MaxPending: l.number("pending"),
	}
	h.Granularity = map[string]simulator.Granularity{
		"": simulator.GranularityBlock, "block": simulator.GranularityBlock, "chunk": simulator.GranularityChunk, "stream": simulator.GranularityStream,
	}[l.values["granularity"]]
	if text := l.values["start"]; text != "" {
		share, err := strconv.ParseFloat(text, 64)
		if err != nil {
			l.t.Fatalf("line %d: %v", l.row, err)
		}
		h.StartShare = share
	}
	return h
}

func (l line) disruption() simulator.Disruption {
	return simulator.Disruption{
		At: simtime.Time(l.parseDuration(l.names[0])), Endpoint: l.parseNumber(l.names[2]),
		Kind: map[string]simulator.DisruptionKind{"fail": simulator.Fail, "drain": simulator.Drain, "recover": simulator.Recover}[l.names[1]],
	}
}

func (l line) request(id int) workload.Request {
	name := l.names[0]
	r := workload.Request{
		ID: id, Arrival: simtime.Time(l.duration("at")), OutputTokens: l.number("output"),
		Priority: l.number("priority"), Adapter: l.number("adapter"),
		Response: stats.HashString("answer/" + name),
	}
	for _, part := range strings.Split(l.values["prompt"], "+") {
		text, tokens, _ := strings.Cut(part, ":")
		text, start, _ := strings.Cut(text, "@")
		if text == "own" {
			text = "own/" + name
		}
		e := prompt.Extent{Source: stats.HashString(text), Tokens: int32(l.parseNumber(tokens))}
		if start != "" {
			e.Start = int32(l.parseNumber(start))
		}
		r.Prompt = r.Prompt.Append(e)
	}
	return r
}
