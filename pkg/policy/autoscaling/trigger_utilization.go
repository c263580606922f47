// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"math"
	"time"
)

// utilizationTrigger fires where the replicas of a pool are busy too much of the time, or
// those of all pools too little.
type utilizationTrigger struct {
	above, below float64
	window       time.Duration
	held
}

func readUtilizationTrigger(l *loader) func() Trigger {
	u := utilizationTrigger{
		above:  l.Between("above", 0, 1, 0.9, "the share of time in which a pool's accelerators are busy above which the trigger fires"),
		below:  l.Between("below", 0, 1, math.NaN(), "the share below which the trigger fires, of all pools; without it there is none"),
		window: l.window("window", time.Minute, "the time over which the share is taken"),
		held:   readHeld(l),
	}
	if u.below >= u.above {
		l.Invalid("below", "must be less than above")
	}
	return func() Trigger { one := u; return &one }
}

func (u *utilizationTrigger) Fires(view *View) bool {
	high, low := false, true
	for k := range view.Pools {
		sum, replicas := view.busy(&view.Pools[k], u.window)
		mean := sum / float64(max(replicas, 1))
		high = high || replicas > 0 && mean > u.above
		low = low && replicas > 0 && mean < u.below // never below NaN
	}
	return u.fires(view.Now, either(high)+2*either(low))
}
