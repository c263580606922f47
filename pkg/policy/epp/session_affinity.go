// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"fmt"
	"math"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
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
	sessionAffinityScorer = scheduler.Factory{
		PluginType: config.PluginType{
			Name:         sessionAffinityScorerType,
			Registration: version.LLMD("scheduler-v0.2.."),
			Category:     config.AffinityCategory,
			Roles:        config.ScorerRole,
			Alpha:        true,
			Parameters:   newSessionAffinityParameters,
			Treatment: func(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
				if setsHeaderTooLate(c.Dialect.Own) {
					return config.NoEffect, "names the endpoint when the answer's headers have left: no client sends it back, and all score 0"
				}
				return treatSessionAffinity(c, cluster, p)
			},
		},
		NewScorer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer {
			if setsHeaderTooLate(b.Dialect.Own) {
				return unknownSession{}
			}
			return newSessionAffinity(b, p)
		},
	}
	sessionAffinityFilter = scheduler.Factory{
		PluginType: config.PluginType{
			Name:         sessionAffinityFilterType,
			Registration: version.GIE("router-v0.9.."),
			Roles:        config.FilterRole,
			Alpha:        true,
			Parameters:   newSessionAffinityParameters,
			Treatment:    treatSessionAffinity,
		},
		NewFilter: func(b *scheduler.Builder, p *config.Plugin) scheduler.Filter { return newSessionAffinity(b, p) },
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

// setsHeaderTooLate reports whether llm-d's scorer of a release tells clients of an
// endpoint when it is too late to.
func setsHeaderTooLate(at version.Release) bool {
	return at >= version.Scheduler04 && at < version.Router09
}

type unknownSession struct{}

func (unknownSession) Score(_ *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	fill(scores[:len(candidates)], w.Of(0))
}

// noSessions is what is amiss where a workload has no conversations.
const noSessions = "no client of the workload has sessions, and no request is held to an endpoint"

func (p *sessionAffinityParameters) Check(l *config.Loader, path *field.Path) {
	switch p.Strategy {
	case encodedEndpointStrategy:
		if p.EncodedEndpointHeaderConfig.Header == "" {
			p.EncodedEndpointHeaderConfig.Header = "x-session-token"
		}
	case sessionIDStrategy:
		p.SessionIDConfig.Check(l, path.Child("sessionIdConfig"))
	default:
		l.Add(field.NotSupported(path.Child("strategy"), p.Strategy, []string{encodedEndpointStrategy, sessionIDStrategy}))
	}
}

func (c *sessionIDConfig) Check(l *config.Loader, path *field.Path) {
	if len(c.Sources) == 0 {
		c.Sources = []sessionIDSource{{Header: "x-session-id"}}
	}
	for i, source := range c.Sources {
		if (source.Header == "") == (source.Attribute == "") {
			l.Add(field.Invalid(path.Child("sources").Index(i), field.OmitValueType{}, "exactly one of header and attribute must be set"))
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
			l.Add(field.Invalid(path.Child(seconds.name), *seconds.value, "must be greater than 0"))
		}
	}
	if c.EvictionSweepSeconds > 0 {
		config.CheckTicks(l, path.Child("evictionSweepSeconds"), c.EvictionSweepSeconds)
	}
}

func treatSessionAffinity(c *config.Config, cluster *config.Cluster, p *config.Plugin) (config.Treatment, string) {
	parameters := p.Parameters.(*sessionAffinityParameters)
	switch {
	case parameters.ProfileName != "" && c.Stages.Header != "":
		return config.Unsupported, "which profile a session is bound by cannot be stated where a header of each request names its profile: leave profileName out"
	case parameters.ProfileName != "" && !c.Stages.Runs(parameters.ProfileName, cluster):
		return config.Exact, fmt.Sprintf("holds no session: profile %q does not run", parameters.ProfileName)
	case cluster == nil || !cluster.Sessions:
		return config.Approximated, noSessions
	default:
		return config.Exact, ""
	}
}

// sessionAffinity is the scorer and the filter.
type sessionAffinity struct{ pins sessionPins }

// sessionPins knows which endpoint a session is held to.
type sessionPins interface {
	// Pinned returns an endpoint, which need not be a candidate, or -1.
	Pinned(c *scheduler.Cycle, candidates []int) int
}

func newSessionAffinity(b *scheduler.Builder, p *config.Plugin) *sessionAffinity {
	parameters := p.Parameters.(*sessionAffinityParameters)
	prefill := parameters.ProfileName != "" && parameters.ProfileName != b.Stages.Decode
	switch {
	case prefill && parameters.ProfileName != b.Stages.Prefill:
		return &sessionAffinity{noPins{}}
	case parameters.Strategy == sessionIDStrategy:
		bindings := scheduler.Shared(b, p, func() *sessionBindings {
			return &sessionBindings{
				ttl:     seconds(parameters.SessionIDConfig.EvictionTTLSeconds),
				sweep:   max(1, seconds(parameters.SessionIDConfig.EvictionSweepSeconds)),
				prefill: prefill,
			}
		})
		b.Connect(bindings)
		return &sessionAffinity{bindings}
	default:
		return &sessionAffinity{b.SessionTokens(parameters.EncodedEndpointHeaderConfig.Header, prefill)}
	}
}

// seconds is a duration of at most some 290 years.
func seconds(s float64) time.Duration {
	if ns := s * 1e9; ns < math.MaxInt64 {
		return time.Duration(ns)
	}
	return math.MaxInt64
}

func (a *sessionAffinity) Score(c *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	pinned := a.pins.Pinned(c, candidates)
	for i, e := range candidates {
		scores[i] = 0
		if e == pinned {
			scores[i] = w.Of(1)
		}
	}
}

func (a *sessionAffinity) Filter(c *scheduler.Cycle, candidates []int) []int {
	pinned := a.pins.Pinned(c, candidates)
	if i := slices.Index(candidates, pinned); i >= 0 {
		return candidates[i : i+1]
	}
	return candidates
}

type noPins struct{}

func (noPins) Pinned(*scheduler.Cycle, []int) int { return -1 }
