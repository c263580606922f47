// SPDX-License-Identifier: Apache-2.0

package native

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/prompt"
)

// mustNew makes the router of a spec.
func mustNew(t testing.TB, spec Spec, endpoints int) *Router {
	t.Helper()
	return mustSeed(t, spec, endpoints, 1)
}

func mustSeed(t testing.TB, spec Spec, endpoints int, seed int64) *Router {
	t.Helper()
	c, errs := Load(spec, field.NewPath("routing"))
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return New(c, endpoints, seed)
}

// scoring is a policy of one scorer of weight 1.
func scoring(name string, parameters map[string]string) Spec {
	return Spec{Policy: "weighted", TieBreak: tieFirst, Scorers: []Scorer{{Name: name, Weight: 1, Parameters: parameters}}}
}

// view is what scrapes show: an endpoint for each of them, with blocks of 16.
func view(scrapes ...policy.Scrape) *policy.View {
	for i := range scrapes {
		scrapes[i].BlockTokens = 16
	}
	return &policy.View{Scrapes: scrapes}
}

// request is of texts of so many tokens, by source.
func request(id int, extents ...prompt.Extent) *policy.Request {
	p := prompt.Prompt{Extents: extents}
	return &policy.Request{ID: id, Prompt: p, Tokens: p.Tokens()}
}

func text(source uint64, tokens int) prompt.Extent {
	return prompt.Extent{Source: source, Tokens: int32(tokens)}
}

func route(t testing.TB, r *Router, v *policy.View, q *policy.Request) int {
	t.Helper()
	to, err := r.Route(v, q)
	if err != nil {
		t.Fatal(err)
	}
	return to.Endpoint
}

// scores routes a request and returns the scores of the candidates.
func scores(t *testing.T, r *Router, v *policy.View, q *policy.Request) []float64 {
	t.Helper()
	route(t, r, v, q)
	w, ok := r.chooser.(*weighted)
	if !ok {
		t.Fatal("the policy is not weighted")
	}
	return append([]float64{}, w.scores...)
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
