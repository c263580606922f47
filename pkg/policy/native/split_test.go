// SPDX-License-Identifier: Apache-2.0

package native

import (
	"errors"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// splitOf makes the router of a policy over endpoints of the given roles.
func splitOf(t *testing.T, c *Config, of ...Role) *Split {
	t.Helper()
	return NewSplits(c, of, 1, 1, &policy.Faults{})[0]
}

func configOf(t *testing.T, spec Spec) *Config {
	t.Helper()
	c, errs := Load(spec, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return c
}

func split(t *testing.T, s *Split, v *policy.View, q *policy.Request) [2]int {
	t.Helper()
	to, err := s.Route(v, q)
	if err != nil {
		t.Fatal(err)
	}
	return [2]int{to.Prefill, to.Endpoint}
}

// Each stage has endpoints of its own, and the policy chooses in each.
func TestSplitsChooseForEachStage(t *testing.T) {
	least := configOf(t, Spec{Policy: "least-loaded", TieBreak: tieFirst})
	busy := func(waiting ...int) *policy.View {
		var scrapes []policy.Scrape
		for _, n := range waiting {
			scrapes = append(scrapes, policy.Scrape{Waiting: n})
		}
		return view(scrapes...)
	}
	down := func(v *policy.View, endpoints ...int) *policy.View {
		v.Down = make([]bool, len(v.Scrapes))
		for _, e := range endpoints {
			v.Down[e] = true
		}
		return v
	}
	for name, tc := range map[string]struct {
		roles []Role
		view  *policy.View
		want  [2]int
	}{
		"the least loaded of each":     {[]Role{Prefills, Prefills, Decodes, Decodes}, busy(3, 1, 4, 0), [2]int{1, 3}},
		"no endpoint computes prompts": {[]Role{Prefills, Prefills, Decodes, Decodes}, down(busy(3, 1, 4, 0), 0, 1), [2]int{policy.NoPrefill, 3}},
		"one that does both":           {[]Role{Prefills, DoesBoth}, busy(9, 0), [2]int{policy.NoPrefill, 1}},
		"one that does both helps":     {[]Role{Prefills, DoesBoth, Decodes}, busy(9, 1, 0), [2]int{1, 2}},
	} {
		t.Run(name, func(t *testing.T) {
			same(t, "prefill and decode", tc.want, split(t, splitOf(t, least, tc.roles...), tc.view, request(0, text(1, 64))))
		})
	}
	t.Run("no endpoint decodes", func(t *testing.T) {
		if _, err := splitOf(t, least, Prefills, Decodes).Route(down(busy(0, 0), 1), request(0, text(1, 64))); !errors.Is(err, policy.ErrNoEndpoint) {
			t.Error(err)
		}
	})
}

// A state such as whose turn it is belongs to a stage.
func TestStagesRememberForThemselves(t *testing.T) {
	s := splitOf(t, configOf(t, Spec{Policy: "round-robin"}), Prefills, Prefills, Prefills, Decodes, Decodes)
	for id, want := range [][2]int{{0, 3}, {1, 4}, {2, 3}, {0, 4}} {
		same(t, "prefill and decode", want, split(t, s, view(make([]policy.Scrape, 5)...), request(id, text(1, 64))))
	}
}

// A request is in flight for prefill until its first token, and for decode until its end.
func TestStagesCountForThemselves(t *testing.T) {
	s := splitOf(t, configOf(t, Spec{Policy: "least-loaded", Parameters: map[string]string{"load": "in-flight"}, TieBreak: tieFirst}), Prefills, Prefills, Decodes, Decodes)
	if s.Routing().Responses == nil {
		t.Fatal("the router does not learn of answers")
	}
	v := view(make([]policy.Scrape, 4)...)
	same(t, "the first", [2]int{0, 2}, split(t, s, v, request(0, text(1, 64))))
	s.FirstToken(request(0), 2)
	same(t, "the first is decoding", [2]int{0, 3}, split(t, s, v, request(1, text(1, 64))))
	s.Finished(request(0), 2)
	same(t, "the first has ended, the second is computed", [2]int{1, 2}, split(t, s, v, request(2, text(1, 64))))
	s.Finished(request(1), 3) // without a token
	same(t, "the second has ended", [2]int{0, 3}, split(t, s, v, request(3, text(1, 64))))
}

// Where one stage sends a prompt, the other counts no request: endpoint 1 decodes the first one, and
// was never sent one for prefill. So it comes next there, and endpoint 0 after it.
func TestStagesCountTheirOwnRequests(t *testing.T) {
	lowestRate := Spec{Policy: "production-stack-prefix-aware", Parameters: map[string]string{"minMatchTokens": "1000"}}
	for name, spec := range map[string]Spec{"recent requests": lowestRate, "requests without a hit": scoring("no-hit-lru", nil)} {
		spec.TieBreak = tieFirst
		s := splitOf(t, configOf(t, spec), Prefills, DoesBoth, Decodes)
		for id, want := range [][2]int{{0, 1}, {1, 2}, {0, 1}} {
			same(t, name, want, split(t, s, view(make([]policy.Scrape, 3)...), request(id, text(uint64(id+1), 64))))
		}
	}
}

// A program that sees the stage may leave a prompt where it is decoded: here if fewer than 100
// of its tokens are new there. After a hand-over the endpoint that decodes has the prompt too.
func TestProgramsComputeInPlace(t *testing.T) {
	c, errs := LoadProgram(ProgramSpec{
		Signals: []ProgramSignal{{Field: "stage", Name: "stage"}, {Field: "role", Name: "role"}, {Field: "prefix", Name: "prefix-affinity"}},
		Load: inStarlark(`
def score(request, endpoints):
    return [one(request, e) for e in endpoints]
def one(request, e):
    if e.stage == 3:
        return 9 if request.tokens - e.prefix_tokens < 100 else -9
    if e.role != 3 - e.stage:
        fail("endpoint %d of role %d for stage %d" % (e.number, e.role, e.stage))
    return e.stage
`),
	}, nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var faults policy.Faults
	s := NewSplits(c, []Role{Prefills, Decodes}, 1, 1, &faults)[0]
	v := view(policy.Scrape{}, policy.Scrape{})
	same(t, "a short prompt", [2]int{policy.NoPrefill, 1}, split(t, s, v, request(0, text(1, 96))))
	same(t, "a long one", [2]int{0, 1}, split(t, s, v, request(1, text(2, 160))))
	same(t, "the long one again", [2]int{policy.NoPrefill, 1}, split(t, s, v, request(2, text(2, 160))))
	if f := faults.First(); f != nil {
		t.Error(f)
	}
}

// Programs see what engines exported in the last one to two windows, or since the request before if that is longer. The engine has given first
// tokens after 1 s and 3 s up to 10 s, then one after 8 s, and starts again before 30 s.
func TestFiguresOfEngines(t *testing.T) {
	engine := func(seconds, tokens int64, queries, hits, bytes int64) policy.Engine {
		e := policy.Engine{TimeToFirstToken: policy.Observed{Sum: time.Duration(seconds) * time.Second, Count: tokens}}
		e.InterTokenLatency = policy.Observed{Sum: time.Duration(tokens) * 20 * time.Millisecond, Count: tokens}
		e.PrefixCacheQueries, e.PrefixCacheHits, e.EstimatedWait = queries, hits, 250*time.Millisecond
		e.StoredBytes[policy.CPUMemory], e.KVUsage[policy.CPUMemory], e.KVUsage[policy.Storage] = bytes, 0.5, 0.125
		return e
	}
	type figuresSeen map[string]float64
	seen := func(ttft, hits, bytes float64) figuresSeen {
		return figuresSeen{
			"ttft-seconds": ttft, "tpot-seconds": 0.02, "hit-rate": hits, "offload-bytes": bytes,
			"kv-usage-cpu": 0.5, "kv-usage-storage": 0.125, "estimated-wait-seconds": 0.25,
		}
	}
	b := newBuilder(&Config{}, 1, 1, 1, nil)
	signals := map[string]scorer{}
	for _, f := range engineFigures {
		made, errs := readSignal(&ProgramSignal{Name: f.name}, nil)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		signals[f.name] = made(b)
	}
	if !b.router.readsEngines {
		t.Error("the router does not ask for what engines export")
	}
	for _, tc := range []struct {
		at     time.Duration
		engine policy.Engine
		want   figuresSeen
	}{
		{10 * time.Second, engine(4, 2, 100, 50, 1000), seen(2, 0.5, 100)},       // since the start: 4 s ÷ 2, 1000 bytes in 10 s
		{15 * time.Second, engine(12, 3, 200, 50, 4000), seen(4, 0.25, 800.0/3)}, // still since the start: 12 s ÷ 3, 4000 in 15 s
		{20 * time.Second, engine(12, 3, 200, 50, 4000), seen(8, 0, 300)},        // since 10 s: 8 s ÷ 1, 0 of 100, 3000 in 10 s
		{30 * time.Second, engine(1, 1, 10, 10, 500), seen(1, 1, 50)},            // the counters began again: 500 in 10 s
		{70 * time.Second, engine(7, 4, 30, 20, 4500), seen(2, 0.5, 100)},        // since the request at 30 s: 6 s ÷ 3, 10 of 20, 4000 in 40 s
	} {
		v := view(policy.Scrape{})
		v.Scrapes[0].At, v.Engines = v.Scrapes[0].At.Add(tc.at), []policy.Engine{tc.engine}
		got := figuresSeen{}
		for name, s := range signals {
			answer := []float64{0}
			s.score(&round{view: v, candidates: []int{0}}, answer)
			got[name] = answer[0]
		}
		same(t, tc.at.String(), tc.want, got)
	}
}

// The scorers of engines prefer the one that takes least.
func TestScorersOfEngines(t *testing.T) {
	ttft := func(d time.Duration) policy.Engine {
		return policy.Engine{TimeToFirstToken: policy.Observed{Sum: d, Count: 1}, InterTokenLatency: policy.Observed{Sum: 2 * d, Count: 2}, EstimatedWait: d}
	}
	for _, name := range []string{"recent-ttft", "recent-tpot", "estimated-wait"} {
		v := view(make([]policy.Scrape, 3)...)
		v.Engines = []policy.Engine{ttft(4 * time.Second), ttft(time.Second), ttft(2 * time.Second)}
		same(t, name, []float64{0, 1, 2.0 / 3}, scores(t, mustNew(t, scoring(name, nil), 3), v, request(0, text(1, 10))))
	}
}
