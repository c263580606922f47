// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/stats"
)

const probabilisticAdmitterType = "probabilistic-admitter"

// probabilisticAdmitter turns requests of negative priority away with the
// probability min(k·s^power, 1), s being the mean over endpoints of
// max(queue/queueDepthThreshold, KV cache use/kvCacheUtilThreshold) as last
// scraped, however long ago.
var probabilisticAdmitter = factory{
	pluginType: pluginType{
		name:         probabilisticAdmitterType,
		registration: gie("scheduler-520af478.."),
		roles:        admitterRole,
		parameters: func() any {
			return &probabilisticParameters{QueueDepthThreshold: 5, KVCacheUtilThreshold: 0.8, Power: 5, K: 300}
		},
	},
	newAdmitter: func(b *builder, p *plugin) admitter {
		return &probabilistic{p.Parameters.(*probabilisticParameters), stats.NewStream(b.seed, "epp/"+p.Name)}
	},
}

type probabilisticParameters struct {
	QueueDepthThreshold  int     `json:"queueDepthThreshold"`
	KVCacheUtilThreshold float64 `json:"kvCacheUtilThreshold"`
	Power                float64 `json:"power"`
	K                    float64 `json:"k"`
}

func (p *probabilisticParameters) check(l *loader, path *field.Path) {
	if p.QueueDepthThreshold <= 0 {
		l.add(field.Invalid(path.Child("queueDepthThreshold"), p.QueueDepthThreshold, "must be greater than 0"))
	}
	for _, number := range []struct {
		name  string
		value float64
	}{{"kvCacheUtilThreshold", p.KVCacheUtilThreshold}, {"power", p.Power}, {"k", p.K}} {
		if number.value <= 0 {
			l.add(field.Invalid(path.Child(number.name), number.value, "must be greater than 0"))
		}
	}
}

type probabilistic struct {
	*probabilisticParameters
	random *stats.Stream
}

func (a *probabilistic) admits(c *cycle) bool {
	if c.priority >= 0 || c.there == 0 {
		return true
	}
	return a.random.Float64() >= a.refusal(c)
}

// refusal is the probability of turning a request away.
func (a *probabilistic) refusal(c *cycle) float64 {
	sum := 0.0
	for e := range c.scrapes {
		if c.gone(e) {
			continue
		}
		sum += utilizationOf(&c.scrapes[e], float64(a.QueueDepthThreshold), a.KVCacheUtilThreshold)
	}
	return min(stats.Pow(sum/float64(c.there), a.Power)*a.K, 1)
}
