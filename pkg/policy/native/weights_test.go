// SPDX-License-Identifier: Apache-2.0

package native

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// change is what a test does to the weights before request number id.
type change func(r *Router, id int)

// decisionsWith routes random requests of a few texts among four endpoints. Half of them
// end at once.
func decisionsWith(t *testing.T, spec Spec, before change) []int {
	r, stream := mustNew(t, spec, 4), stats.NewStream(1, "test")
	var chosen []int
	for id := range 400 {
		scrapes := make([]policy.Scrape, 4)
		for e := range scrapes {
			scrapes[e] = policy.Scrape{Waiting: stream.IntN(10), KVUsage: stream.Float64()}
		}
		before(r, id)
		q := request(id, text(uint64(stream.IntN(5)), 160), text(uint64(100+id), 40))
		endpoint := route(t, r, view(scrapes...), q)
		if id%2 == 0 {
			r.Finished(q, endpoint)
		}
		chosen = append(chosen, endpoint)
	}
	return chosen
}

func withLoad(mode string, weights ...float64) Spec {
	s := three(mode, weights...)
	s.Scorers = append(s.Scorers, Scorer{Name: "load-seed", Weight: 1})
	return s
}

func TestWeightsThatAreSetToWhatTheyAre(t *testing.T) {
	for _, mode := range []string{ModeEPP, ModeNormalised} {
		spec := withLoad(mode, 3, 2, 2)
		untouched := decisionsWith(t, spec, func(*Router, int) {})
		same(t, mode+": set to the same", untouched, decisionsWith(t, spec, func(r *Router, _ int) {
			for i, w := range r.Weights() {
				r.SetWeight(i, w.Weight)
			}
		}))
		same(t, mode+": set to others and back", untouched, decisionsWith(t, spec, func(r *Router, _ int) {
			for i, w := range r.Weights() {
				r.SetWeight(i, 17*w.Weight+1)
				r.SetWeight(i, w.Weight)
			}
		}))
	}
}

// The index of prefixes and the counts of requests in flight are those of the run so far:
// under other weights the next requests go where the whole past sends them.
func TestScorersLiveOnUnderOtherWeights(t *testing.T) {
	r := mustNew(t, Spec{Policy: "weighted", TieBreak: tieFirst, Scorers: []Scorer{{Name: "prefix-affinity", Weight: 0}, {Name: "load-seed", Weight: 1}}}, 3)
	idle := func() *policy.View { return view(policy.Scrape{}, policy.Scrape{}, policy.Scrape{}) }
	for id := range 3 { // one to each
		same(t, "by load", id, route(t, r, idle(), request(id, text(uint64(id), 160))))
	}
	r.SetWeight(0, 1)
	r.SetWeight(1, 0)
	for id := range 3 {
		same(t, "by prefix", 2-id, route(t, r, idle(), request(3+id, text(uint64(2-id), 160))))
	}
	r.Finished(request(1), 1)
	r.SetWeight(0, 0)
	r.SetWeight(1, 1)
	same(t, "by load again", 1, route(t, r, idle(), request(6, text(9, 160))))
	same(t, "weights", []policy.ScorerWeight{{Scorer: "prefix-affinity", Type: "prefix-affinity"}, {Scorer: "load-seed", Type: "load-seed", Weight: 1}}, r.Weights())
}

// Routers of one configuration have weights of their own.
func TestRoutersOfAConfigurationShareNoWeights(t *testing.T) {
	c, errs := Load(three(ModeNormalised, 3, 2, 2), nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	a, b := New(c, 2, 1), New(c, 2, 1)
	a.SetWeight(0, 9)
	same(t, "the other router", 3.0, b.Weights()[0].Weight)
	same(t, "a new router", 3.0, New(c, 2, 1).Weights()[0].Weight)
	if all := mustNew(t, Spec{Policy: "round-robin"}, 2).Weights(); all != nil {
		t.Errorf("a policy without scorers has the weights %v", all)
	}
}
