// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/pkg/policy/scheduling"
	"windtunnel.dev/windtunnel/pkg/prompt"
	"windtunnel.dev/windtunnel/pkg/simtime"
	"windtunnel.dev/windtunnel/pkg/stats"
	"windtunnel.dev/windtunnel/pkg/workload"
)

// TestScenarios runs the scripts under testdata. Each opens with the behaviour
// that it pins. Then come lines of a verb and key=value words:
//
//	pool      replicas, step (duration of each step), blocks (count x tokens),
//	          seqs, budget (tokens a step), caching, maxlen, longprefill, reserve,
//	          scheduler (fcfs, priority, shortest), queue, queuepertoken, pertoken, completion
//	stability form (queueing, queueing-seed) of the pool above, evict, admission
//	          (queue, refuse), window, margin, deviations, interval, completions
//	router    roundrobin; or fixed with to=endpoints in turn ("-" refuses)
//	scrape    every, first (by endpoint, comma-separated)
//	horizon   requests, duration, warmup, drain
//	target    ttft, tpot, e2e
//	request   NAME at, output, priority, prompt: texts text:tokens or text@start:tokens,
//	          joined by "+". Equal texts are equal tokens; own is the request's
//	          own text, answer/NAME what an engine generated for that request.
//	expect    NAME …: what became of a request, see recorder.request
//	expect    total …: sums over cells and replicas, see scenario.totals
//	expect    state REPLICA …: what its controller knew when arrivals ended
//	view      NAME …: what the router saw of endpoint 0 when it routed the request
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
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			newScenario(t, string(text)).run()
		})
	}
}

// scenario is a script as it is read.
type scenario struct {
	t        *testing.T
	config   Config
	first    []time.Duration
	router   *scriptRouter
	requests []workload.Request
	names    []string
	expect   []line
	batches  []string
}

func newScenario(t *testing.T, text string) *scenario {
	router := &scriptRouter{}
	c := &scenario{t: t, router: router, config: Config{Router: router, CheckInvariants: true}}
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
	return c
}

func (c *scenario) read(l line) {
	switch l.verb {
	case "pool":
		c.config.Pools = append(c.config.Pools, l.pool())
	case "stability":
		c.config.Pools[len(c.config.Pools)-1].Stability = l.stability()
	case "router":
		c.router.fixed = l.list("to")
	case "scrape":
		c.config.ScrapeInterval = l.duration("every")
		for _, first := range l.list("first") {
			c.first = append(c.first, l.parseDuration(first))
		}
	case "horizon":
		c.config.Horizon = Horizon{
			Requests: l.number("requests"), Duration: l.duration("duration"),
			WarmUp: l.duration("warmup"), Drain: l.duration("drain"),
		}
	case "target":
		c.config.Targets = append(c.config.Targets, Target{
			TTFT: l.duration("ttft"), TPOT: l.duration("tpot"), E2E: l.duration("e2e"),
		})
	case "request":
		c.names = append(c.names, l.names[0])
		c.requests = append(c.requests, l.request(len(c.requests)))
	case "expect", "view":
		c.expect = append(c.expect, l)
	case "batch":
		c.batches = append(c.batches, strings.Join(l.names, " "))
	default:
		c.t.Fatalf("line %d: no verb %q", l.row, l.verb)
	}
}

func (c *scenario) run() {
	c.config.Source = &script{requests: c.requests}
	s := newSimulation(context.Background(), c.config)
	phases := s.rota.phases
	for i, first := range c.first {
		if first >= s.rota.interval {
			c.t.Fatalf("first scrape at %v, and every %v", first, s.rota.interval)
		}
		phases[i] = simtime.Time(first)
	}
	s.rota = newRota(s.rota.interval, phases)
	rec := newRecorder(c.names)
	s.observers = append(s.observers, rec)
	o, err := s.run()
	if err != nil {
		c.t.Fatal(err)
	}

	for _, l := range c.expect {
		var got map[string]string
		switch {
		case l.verb == "view":
			got = c.router.saw(c.index(l.names[0]))
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
			c.t.Errorf("line %d, %s %s (-want +got):\n%s", l.row, l.verb, l.names[0], diff)
		}
	}
	if len(c.batches) > 0 {
		if diff := cmp.Diff(c.batches, rec.inOrder()); diff != "" {
			c.t.Errorf("batches (-want +got):\n%s", diff)
		}
	}
}

func (c *scenario) index(name string) int {
	for i, n := range c.names {
		if n == name {
			return i
		}
	}
	c.t.Fatalf("no request %q", name)
	return 0
}

// totals sums an outcome over its cells and replicas.
func totals(o *Outcome) map[string]string {
	sum := sumCells(o)
	var busy time.Duration
	var steps, served, evictions int64
	peak := 0.0
	for _, r := range o.Replicas {
		busy += r.Busy
		steps += r.Steps
		served += r.Served
		evictions += r.Evictions
		peak = max(peak, r.PeakKV)
	}
	n := func(v int64) string { return strconv.FormatInt(v, 10) }
	return map[string]string{
		"arrived": n(sum.Arrived), "completed": n(sum.Completed), "rejected": n(sum.Rejected), "unfinished": n(sum.Unfinished),
		"good": n(sum.Good), "metttft": n(sum.MetTTFT), "mettpot": n(sum.MetTPOT), "mete2e": n(sum.MetE2E),
		"prompt": n(sum.PromptTokens), "cached": n(sum.CachedTokens), "output": n(sum.OutputTokens), "gaps": n(sum.ITL.Count()),
		"queueing": time.Duration(sum.Queueing.Max()).String(), "enginettft": time.Duration(sum.EngineTTFT.Max()).String(),
		"maxgap": time.Duration(sum.ITL.Max()).String(), "maxtpot": time.Duration(sum.TPOT.Max()).String(),
		"preemptions": n(sum.Preemptions), "recomputed": n(sum.RecomputedTokens),
		"busy": busy.String(), "steps": n(steps), "served": n(served), "evictions": n(evictions), "peak": fmt.Sprint(peak),
		"cells": n(int64(len(o.Cells))), "measured": o.Measured.String(), "end": o.End.String(),
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

func (l line) list(key string) []string {
	if l.values[key] == "" {
		return nil
	}
	return strings.Split(l.values[key], ",")
}

var schedulers = map[string]scheduling.Policy{
	"": nil, "fcfs": scheduling.FCFS{}, "priority": scheduling.Priority{}, "shortest": scheduling.ShortestPrompt{},
}

func (l line) pool() Pool {
	count, tokens, _ := strings.Cut(l.values["blocks"], "x")
	p := Pool{
		Name: "pool", Replicas: max(l.number("replicas"), 1),
		Timer:    constantStep(l.duration("step")),
		KVBlocks: l.parseNumber(count), BlockTokens: l.parseNumber(tokens), PrefixCaching: slices.Contains(l.names, "caching"),
		MaxNumSeqs: l.number("seqs"), MaxNumBatchedTokens: l.number("budget"), MaxModelLen: l.number("maxlen"),
		LongPrefillTokens: l.number("longprefill"), ReserveFullPrompt: slices.Contains(l.names, "reserve"),
		Scheduler: schedulers[l.values["scheduler"]],
	}
	p.Cost.QueueBase = l.duration("queue")
	p.Cost.QueuePerInputToken = l.duration("queuepertoken")
	p.Cost.PerOutputToken = l.duration("pertoken")
	p.Cost.Completion = l.duration("completion")
	return p
}

func (l line) request(id int) workload.Request {
	name := l.names[0]
	r := workload.Request{
		ID: id, Arrival: simtime.Time(l.duration("at")), OutputTokens: l.number("output"),
		Priority: l.number("priority"),
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
