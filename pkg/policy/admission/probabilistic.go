// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// probabilistic sheds a request with a probability that grows from 0 at the saturation
// level from to most at the level to, as random early detection does with packets
// (Floyd and Jacobson, 1993).
type probabilistic struct {
	level          saturationLevel
	from, to, most float64
	random         *stats.Stream
}

func readProbabilistic(l *loader) func(int64) policy.Admission {
	p := probabilistic{
		level: readSaturationLevel(l),
		from:  l.Between("from", 0, 1e6, 0.5, "saturation below which every request enters"),
		to:    l.Between("to", 0, 1e6, 1, "saturation from which on the probability is most"),
		most:  l.Between("most", 0, 1, 1, "the greatest probability of a rejection"),
	}
	if p.from >= p.to {
		l.Invalid("to", "must be greater than from")
	}
	return func(seed int64) policy.Admission {
		one := p
		one.random = stats.NewStream(seed, "admission/probabilistic")
		return &one
	}
}

func (p *probabilistic) Admit(view *policy.View, _ *policy.Request) policy.AdmissionResponse {
	draw := p.random.Float64() // of each request, so that one decision moves no other
	share := min(max((p.level.of(view)-p.from)/(p.to-p.from), 0), 1)
	if draw < p.most*share {
		return policy.Reject(policy.ErrShed)
	}
	return policy.AdmissionResponse{}
}
