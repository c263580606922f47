// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"fmt"
	"time"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// predictiveOracle sizes the pools for the greatest true rate from now on until replicas
// that are asked for now serve.
type predictiveOracle struct {
	capacity
	future     func(now, from, to simtime.Time) float64
	lead, step time.Duration
}

func readPredictiveOracle(l *loader) func() Scaler {
	o := predictiveOracle{
		future: l.world.FutureRate,
		lead:   readLead(l),
		step:   l.Duration("step", 30*time.Second, "the time over which each rate is taken"),
	}
	o.capacity = readCapacity(l)
	if o.lead/o.step > maxSteps {
		l.Invalid("step", fmt.Sprintf("must be longer: lead has more than %d steps", maxSteps))
	}
	if o.future == nil {
		l.unusable("the policy needs the true arrival rate of the future, which this scenario does not give: use predictive")
	}
	return func() Scaler { one := o; return &one }
}

func (o *predictiveOracle) Scale(view *View, wanted []int) Reason {
	most := 0.0
	for after := time.Duration(0); after <= o.lead; after += o.step {
		from := view.Now.Add(after)
		most = max(most, o.future(view.Now, from, from.Add(o.step)))
	}
	view.Note("greatest rate to come", most)
	return o.settle(view, wanted, most, reasonf("at most %.4g requests/s arrive within %s", most, o.lead))
}
