// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
	"windtunnel.dev/windtunnel/pkg/stats"
)

const probabilisticAdmitterType = "probabilistic-admitter"

// probabilisticAdmitter turns requests of negative priority away with the
// probability min(k·s^power, 1), s being the mean over endpoints of
// max(queue/queueDepthThreshold, KV cache use/kvCacheUtilThreshold) as last
// scraped, however long ago.
var probabilisticAdmitter = scheduler.Factory{
	PluginType: config.PluginType{
		Name:         probabilisticAdmitterType,
		Registration: version.GIE("scheduler-520af478.."),
		Roles:        config.AdmitterRole,
		Parameters: func() any {
			return &probabilisticParameters{QueueDepthThreshold: 5, KVCacheUtilThreshold: 0.8, Power: 5, K: 300}
		},
	},
	NewAdmitter: func(b *scheduler.Builder, p *config.Plugin) scheduler.Admitter {
		return &probabilistic{p.Parameters.(*probabilisticParameters), stats.NewStream(b.Seed, "epp/"+p.Name)}
	},
}

type probabilisticParameters struct {
	QueueDepthThreshold  int     `json:"queueDepthThreshold"`
	KVCacheUtilThreshold float64 `json:"kvCacheUtilThreshold"`
	Power                float64 `json:"power"`
	K                    float64 `json:"k"`
}

func (p *probabilisticParameters) Check(l *config.Loader, path *field.Path) {
	if p.QueueDepthThreshold <= 0 {
		l.Add(field.Invalid(path.Child("queueDepthThreshold"), p.QueueDepthThreshold, "must be greater than 0"))
	}
	for _, number := range []struct {
		name  string
		value float64
	}{{"kvCacheUtilThreshold", p.KVCacheUtilThreshold}, {"power", p.Power}, {"k", p.K}} {
		if number.value <= 0 {
			l.Add(field.Invalid(path.Child(number.name), number.value, "must be greater than 0"))
		}
	}
}

type probabilistic struct {
	*probabilisticParameters
	random *stats.Stream
}

func (a *probabilistic) Admits(c *scheduler.Cycle) bool {
	if c.Priority >= 0 || c.Present == 0 {
		return true
	}
	return a.random.Float64() >= a.refusal(c)
}

// refusal is the probability of turning a request away.
func (a *probabilistic) refusal(c *scheduler.Cycle) float64 {
	sum := 0.0
	for e := range c.Scrapes {
		if c.Gone(e) {
			continue
		}
		sum += utilizationOf(&c.Scrapes[e], float64(a.QueueDepthThreshold), a.KVCacheUtilThreshold)
	}
	return min(stats.Pow(sum/float64(c.Present), a.Power)*a.K, 1)
}
