// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const activeRequestScorerType = "active-request-scorer"

// activeRequestScorer prefers endpoints with few requests in flight, by the
// EPP's own count: 1 up to idleThreshold, else (max − count)/max · maxBusyScore
// with the greatest count of the candidates. Up to scheduler-v0.8 it counts for
// itself: see [activeRequestCounts].
var activeRequestScorer = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         activeRequestScorerType,
		NeededInMay:  []config.DataKind{config.InFlightLoadData},
		Registration: version.LLMD("scheduler-v0.3.."),
		Category:     config.LoadCategory,
		Roles:        config.ScorerRole,
		Parameters:   func() any { return &activeRequestParameters{} },
		Needs: func(p *config.Plugin) []config.DataKey {
			return []config.DataKey{{Kind: config.InFlightLoadData, Producer: p.Parameters.(*activeRequestParameters).InFlightLoadProducerName}}
		},
		Treatment: func(c *config.Config, _ *config.Cluster, _ *config.Plugin) (config.Treatment, string) {
			if c.Dialect.Own == version.Scheduler03 {
				return config.Approximated, "a request counts until the headers of its answer, which are taken to come with the first token; an engine that streams may send them sooner"
			}
			return config.Exact, ""
		},
	},
	NewScorer: func(b *scheduler.Builder, p *config.Plugin) scheduler.Scorer {
		parameters := p.Parameters.(*activeRequestParameters)
		if b.Dialect.Own < version.SchedulerMay {
			return scheduler.Shared(b, p, func() *activeRequestCounts { return newActiveRequestCounts(b, parameters) })
		}
		return &activeRequest{
			load:          b.Load(parameters.InFlightLoadProducerName),
			idleThreshold: int64(parameters.IdleThreshold),
			maxBusyScore:  parameters.MaxBusyScore,
		}
	},
}

type activeRequestParameters struct {
	RequestTimeout           string  `json:"requestTimeout,omitempty"`
	IdleThreshold            int     `json:"idleThreshold" versions:"scheduler-v0.7.."`
	MaxBusyScore             float64 `json:"maxBusyScore" versions:"scheduler-v0.7.."`
	InFlightLoadProducerName string  `json:"inFlightLoadProducerName" versions:"router-v0.9.."`
}

// Defaults has busy endpoints score 0, which is what the EPP took an unset
// maxBusyScore for up to scheduler-520af478.
func (p *activeRequestParameters) Defaults(at version.Release) {
	if at < version.Scheduler07 || at >= version.Router09 {
		p.MaxBusyScore = 1
	}
	if at < version.SchedulerMay {
		p.RequestTimeout = defaultRequestTimeout.String()
	}
}

const defaultRequestTimeout = 2 * time.Minute

// timeout is positive in versions that read it.
func (p *activeRequestParameters) timeout() time.Duration {
	timeout, err := time.ParseDuration(p.RequestTimeout)
	if err != nil {
		return 0
	}
	return timeout
}

func (p *activeRequestParameters) Check(l *config.Loader, path *field.Path) {
	switch {
	case l.Clock < version.SchedulerMay:
		if p.timeout() <= 0 {
			if p.RequestTimeout != "" {
				l.Notice(path.Child("requestTimeout"), "replaced-value", "%q is no positive duration and is replaced by %s", p.RequestTimeout, defaultRequestTimeout)
			}
			p.RequestTimeout = defaultRequestTimeout.String()
		}
	case p.RequestTimeout != "":
		l.Notice(path.Child("requestTimeout"), "deprecated", "deprecated, no effect")
		p.RequestTimeout = ""
	}
	if p.IdleThreshold < 0 {
		l.Notice(path.Child("idleThreshold"), "replaced-value", "%d is replaced by 0", p.IdleThreshold)
		p.IdleThreshold = 0
	}
	if p.MaxBusyScore < 0 || p.MaxBusyScore > 1 {
		l.Notice(path.Child("maxBusyScore"), "replaced-value", "%v is not between 0 and 1 and is replaced by 1", p.MaxBusyScore)
		p.MaxBusyScore = 1
	}
	p.InFlightLoadProducerName = config.OrDefault(p.InFlightLoadProducerName, config.InFlightLoadData)
}

type activeRequest struct {
	load          *scheduler.InFlightLoad
	idleThreshold int64
	maxBusyScore  float64
}

func (s *activeRequest) Score(_ *scheduler.Cycle, candidates []int, w scheduler.Weight, scores []float64) {
	greatest := int64(0)
	for _, e := range candidates {
		greatest = max(greatest, s.load.Requests[e])
	}
	for i, e := range candidates {
		scores[i] = w.Of(busyScore(s.load.Requests[e], greatest, s.idleThreshold, s.maxBusyScore))
	}
}

// busyScore is the raw score of an endpoint with a number of requests.
func busyScore(count, greatest, idleThreshold int64, maxBusyScore float64) float64 {
	if count <= idleThreshold {
		return 1
	}
	return float64(greatest-count) / float64(greatest) * maxBusyScore
}
