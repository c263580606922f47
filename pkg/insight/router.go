// SPDX-License-Identifier: Apache-2.0

package insight

import (
	"slices"
	"strings"

	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
)

// A Plugin is a part of the router that explanations name.
type Plugin struct {
	Kind   string  `json:"kind"`
	Name   string  `json:"name"`
	Type   string  `json:"type,omitempty"`
	Weight float64 `json:"weight,omitempty"`
	// Profile is of scorers.
	Profile string `json:"profile,omitempty"`
	// Freshness is of producers of data.
	Freshness string `json:"freshness,omitempty"`
}

// router is what explanations name, in the order in which they do first.
type router struct {
	plugins []Plugin
	noted   int
}

// note adds what an explanation names. The first ones and every hundredth name all but what
// hardly ever runs.
func (r *router) note(x *scheduler.Explanation) {
	r.noted++
	if r.noted > 50 && r.noted%100 != 0 {
		return
	}
	if x.Priority != nil {
		r.add(Plugin{Kind: "priority", Name: x.Priority.Policy})
	}
	for i := range x.Verdicts {
		r.add(Plugin{Kind: "admission", Name: x.Verdicts[i].Policy})
	}
	for i := range x.Prefixes {
		r.add(Plugin{Kind: "prefix index", Name: x.Prefixes[i].Name, Type: x.Prefixes[i].Type, Freshness: x.Prefixes[i].Freshness})
	}
	for i := range x.Profiles {
		r.noteProfile(&x.Profiles[i])
	}
	if d := x.Decider; d != nil {
		r.add(Plugin{Kind: "decider", Name: d.Name, Type: d.Type})
	}
}

func (r *router) noteProfile(p *scheduler.ProfileRun) {
	for i := range p.Filters {
		r.add(Plugin{Kind: "filter", Name: p.Filters[i].Name, Type: p.Filters[i].Type})
	}
	for i := range p.Scorers {
		s := &p.Scorers[i]
		r.add(Plugin{Kind: "scorer", Name: s.Name, Type: s.Type, Weight: float64(s.Weight), Profile: p.Profile})
	}
	r.add(Plugin{Kind: "picker", Name: p.Picker.Name, Type: p.Picker.Type})
}

func (r *router) add(p Plugin) {
	if p.Name != "" && !slices.ContainsFunc(r.plugins, func(q Plugin) bool {
		return q.Kind == p.Kind && q.Name == p.Name && q.Profile == p.Profile
	}) {
		r.plugins = append(r.plugins, p)
	}
}

// looksAtPrefixes says whether a scorer prefers replicas that have the prompt.
func (p *Plugin) looksAtPrefixes() bool {
	return strings.Contains(p.Name+p.Type, "prefix") || strings.Contains(p.Name+p.Type, "session") || strings.Contains(p.Name+p.Type, "cache-affinity")
}
