// SPDX-License-Identifier: Apache-2.0

package whatif

import (
	"fmt"
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// A Report answers about the picks of one or more requests.
type Report struct {
	// WindowSeconds is the length of windows.
	WindowSeconds float64 `json:"windowSeconds"`
	// Simulations is how many the answers took.
	Simulations int `json:"simulations"`
	// Picks are those that were asked about, by request.
	Picks []Pick `json:"picks"`
	// Answers are in the order of the alternatives.
	Answers []Answer `json:"answers"`
}

// A Pick is what the router picked for a request.
type Pick struct {
	Request int `json:"request"`
	// Endpoint is what the router picked, and Name is its name.
	Endpoint int    `json:"endpoint"`
	Name     string `json:"name"`
	// Score is that of the endpoint, and ScoreRegret is by how much the highest score
	// exceeds it: 0 for every pick of the highest score. Both are nil without scores.
	Score       *scheduler.Number `json:"score,omitempty"`
	ScoreRegret *scheduler.Number `json:"scoreRegret,omitempty"`
	// Flips is how many simulations gave the spread, and Ties in how many of them the other
	// pick was as good to the router.
	Flips int `json:"flips"`
	Ties  int `json:"ties"`
}

// An Answer compares an alternative with what the router picked.
type Answer struct {
	Request  int    `json:"request"`
	Endpoint int    `json:"endpoint"`
	Name     string `json:"name,omitempty"`
	// Score is the router's for the endpoint; nil where it gave none.
	Score *scheduler.Number `json:"score,omitempty"`
	// Impossible says why the router could not have picked the endpoint. Then there are no
	// comparisons.
	Impossible string `json:"impossible,omitempty"`
	// Own is of the request, Window of the requests of its window, itself included.
	Own    *Comparison `json:"own,omitempty"`
	Window *Comparison `json:"window,omitempty"`
}

// impossible says why an endpoint could not have been picked; "" where it could.
func (p *pick) impossible(endpoint int) string {
	if endpoint < 0 || endpoint >= len(p.names) {
		return fmt.Sprintf("there is no endpoint %d: the router has endpoints from 0 to %d", endpoint, len(p.names)-1)
	}
	if slices.Contains(p.candidates, endpoint) {
		return ""
	}
	for _, f := range p.filters {
		if slices.Contains(f.Dropped, endpoint) {
			return f.Name + " removed it from the candidates of profile " + p.profile + ", which were " + p.list(p.candidates)
		}
	}
	return "it was gone; the candidates were " + p.list(p.candidates)
}

// list names endpoints.
func (p *pick) list(endpoints []int) string {
	var names []string
	for _, e := range endpoints {
		names = append(names, p.names[e])
	}
	return strings.Join(names, ", ")
}

// describe is what a report says of a pick.
func (p *pick) describe(flips []flip) Pick {
	out := Pick{Request: p.request, Endpoint: p.chosen, Name: p.names[p.chosen], Score: number(p.score(p.chosen)), ScoreRegret: number(p.regret()), Flips: len(flips)}
	for _, f := range flips {
		if f.gap == 0 {
			out.Ties++
		}
	}
	return out
}

func number(x *float64) *scheduler.Number {
	if x == nil {
		return nil
	}
	return new(scheduler.Number(*x))
}
