// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"math"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	sessionAffinityScorerType = "session-affinity-scorer"
	sessionAffinityFilterType = "session-affinity-filter"
)

// Both plugins hold a session to an endpoint: the scorer scores it 1 and the
// others 0, the filter keeps it alone. Where the session has none, or it is no
// candidate, the scorer scores all 0 and the filter keeps all.
//
// With the strategy encoded_endpoint_header it is the endpoint of the last
// answer that the client has seen the beginning of: the EPP names it in a
// header, and the client sends that back. With session_id the EPP remembers
// where it sent a session, for as long as it is used; requests name the session
// that the workload puts them in, whatever the sources.
//
// From scheduler-v0.4 to scheduler-520af478 the scorer names the endpoint when the
// answer's headers have left, and no client ever sees it.
//
// With profileName the endpoint is the one that this profile chose; a request for
// which it chose none changes nothing.
var (
	sessionAffinityScorer = factory{
		pluginType: pluginType{
			name:         sessionAffinityScorerType,
			registration: llmd("scheduler-v0.2.."),
			category:     AffinityCategory,
			roles:        scorerRole,
			alpha:        true,
			parameters:   newSessionAffinityParameters,
			treatment: func(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
				if namesTooLate(c.dialect.own) {
					return NoEffect, "names the endpoint when the answer's headers have left: no client sends it back, and all score 0"
				}
				return treatSessionAffinity(c, cluster, p)
			},
		},
		newScorer: func(b *builder, p *plugin) scorer {
			if namesTooLate(b.dialect.own) {
				return nobodysSession{}
			}
			return newSessionAffinity(b, p)
		},
	}
	sessionAffinityFilter = factory{
		pluginType: pluginType{
			name:         sessionAffinityFilterType,
			registration: gie("router-v0.9.."),
			roles:        filterRole,
			alpha:        true,
			parameters:   newSessionAffinityParameters,
			treatment:    treatSessionAffinity,
		},
		newFilter: func(b *builder, p *plugin) filter { return newSessionAffinity(b, p) },
	}
)

const (
	encodedEndpointStrategy = "encoded_endpoint_header"
	sessionIDStrategy       = "session_id"
)

// sessionAffinityParameters are of both strategies; those of the other one have
// no effect.
type sessionAffinityParameters struct {
	Strategy                    string                `json:"strategy" versions:"router-v0.10.."`
	EncodedEndpointHeaderConfig encodedEndpointHeader `json:"encodedEndpointHeaderConfig,omitzero" versions:"router-v0.10.."`
	SessionIDConfig             sessionIDConfig       `json:"sessionIdConfig,omitzero" versions:"router-v0.10.."`
	// HeaderName is what became encodedEndpointHeaderConfig.header.
	HeaderName string `json:"headerName,omitempty" versions:"router-v0.9..router-v0.9"`
	// ProfileName is the profile whose pick counts; the primary one if empty.
	ProfileName string `json:"profileName,omitempty" versions:"router-v0.9.."`
}

type encodedEndpointHeader struct {
	Header string `json:"header"`
}

type sessionIDConfig struct {
	Sources              []sessionIDSource `json:"sources,omitempty"`
	EvictionTTLSeconds   float64           `json:"evictionTtlSeconds"`
	EvictionSweepSeconds float64           `json:"evictionSweepSeconds"`
}

type sessionIDSource struct {
	Header    string `json:"header,omitempty"`
	Attribute string `json:"attribute,omitempty"`
	Producer  string `json:"producer,omitempty" versions:"router-main.."`
}

func newSessionAffinityParameters() any {
	return &sessionAffinityParameters{Strategy: encodedEndpointStrategy}
}

// namesTooLate reports whether llm-d's scorer of a release tells clients of an
// endpoint when it is too late to.
func namesTooLate(at release) bool { return at >= scheduler04 && at < router09 }

type nobodysSession struct{}

func (nobodysSession) score(_ *cycle, candidates []int, w weight, scores []float64) {
	fill(scores[:len(candidates)], w.of(0))
}

// noSessions is what is amiss where a workload has no conversations.
const noSessions = "no client of the workload has sessions, and no request is held to an endpoint"

func (p *sessionAffinityParameters) check(l *loader, path *field.Path) {
	switch p.Strategy {
	case encodedEndpointStrategy:
		if p.EncodedEndpointHeaderConfig.Header == "" {
			p.EncodedEndpointHeaderConfig.Header = "x-session-token"
		}
	case sessionIDStrategy:
		p.SessionIDConfig.check(l, path.Child("sessionIdConfig"))
	default:
		l.add(field.NotSupported(path.Child("strategy"), p.Strategy, []string{encodedEndpointStrategy, sessionIDStrategy}))
	}
}

func (c *sessionIDConfig) check(l *loader, path *field.Path) {
	if len(c.Sources) == 0 {
		c.Sources = []sessionIDSource{{Header: "x-session-id"}}
	}
	for i, source := range c.Sources {
		if (source.Header == "") == (source.Attribute == "") {
			l.add(field.Invalid(path.Child("sources").Index(i), field.OmitValueType{}, "exactly one of header and attribute must be set"))
		}
	}
	for _, seconds := range []struct {
		name     string
		value    *float64
		standard float64
	}{{"evictionTtlSeconds", &c.EvictionTTLSeconds, 300}, {"evictionSweepSeconds", &c.EvictionSweepSeconds, 10}} {
		if *seconds.value == 0 {
			*seconds.value = seconds.standard
		}
		if *seconds.value <= 0 {
			l.add(field.Invalid(path.Child(seconds.name), *seconds.value, "must be greater than 0"))
		}
	}
}

func treatSessionAffinity(c *Config, cluster *Cluster, p *plugin) (Treatment, string) {
	parameters := p.Parameters.(*sessionAffinityParameters)
	switch {
	case parameters.ProfileName != "" && c.stages.header != "":
		return Unsupported, "which profile a session is bound by cannot be stated where a header of each request names its profile: leave profileName out"
	case parameters.ProfileName != "" && !c.stages.runs(parameters.ProfileName, cluster):
		return Exact, fmt.Sprintf("holds no session: profile %q does not run", parameters.ProfileName)
	case cluster == nil || !cluster.Sessions:
		return Approximated, noSessions
	default:
		return Exact, ""
	}
}

// sessionAffinity is the scorer and the filter.
type sessionAffinity struct{ pins sessionPins }

// sessionPins knows which endpoint a session is held to.
type sessionPins interface {
	// pinned returns an endpoint, which need not be a candidate, or -1.
	pinned(c *cycle, candidates []int) int
}

func newSessionAffinity(b *builder, p *plugin) *sessionAffinity {
	parameters := p.Parameters.(*sessionAffinityParameters)
	prefill := parameters.ProfileName != "" && parameters.ProfileName != b.stages.decode
	switch {
	case prefill && parameters.ProfileName != b.stages.prefill:
		return &sessionAffinity{noPins{}}
	case parameters.Strategy == sessionIDStrategy:
		bindings := shared(b, p, func() *sessionBindings {
			return &sessionBindings{
				ttl:     seconds(parameters.SessionIDConfig.EvictionTTLSeconds),
				sweep:   max(1, seconds(parameters.SessionIDConfig.EvictionSweepSeconds)),
				prefill: prefill,
			}
		})
		b.connect(bindings)
		return &sessionAffinity{bindings}
	default:
		return &sessionAffinity{b.sessionTokens(parameters.EncodedEndpointHeaderConfig.Header, prefill)}
	}
}

// seconds is a duration of at most some 290 years.
func seconds(s float64) time.Duration {
	if ns := s * 1e9; ns < math.MaxInt64 {
		return time.Duration(ns)
	}
	return math.MaxInt64
}

func (a *sessionAffinity) score(c *cycle, candidates []int, w weight, scores []float64) {
	pinned := a.pins.pinned(c, candidates)
	for i, e := range candidates {
		scores[i] = 0
		if e == pinned {
			scores[i] = w.of(1)
		}
	}
}

func (a *sessionAffinity) filter(c *cycle, candidates []int) []int {
	pinned := a.pins.pinned(c, candidates)
	if i := slices.Index(candidates, pinned); i >= 0 {
		return candidates[i : i+1]
	}
	return candidates
}

type noPins struct{}

func (noPins) pinned(*cycle, []int) int { return -1 }
