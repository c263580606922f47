// SPDX-License-Identifier: Apache-2.0

package autoscaling

import "time"

// attainmentTrigger fires where the share of requests that end within their targets is
// below a threshold.
type attainmentTrigger struct {
	below  float64
	window time.Duration
	held
}

func readAttainmentTrigger(l *loader) func() Trigger {
	a := attainmentTrigger{
		below:  l.Between("below", 0.001, 1, 0.95, "the share of requests that end within their targets below which the trigger fires"),
		window: l.window("window", time.Minute, "the time over which requests that end are counted"),
		held:   readHeld(l),
	}
	if len(l.world.Pools) > 0 && !l.world.HasTargets {
		l.unusable("no request has a target: set slos, or targets of a tenant")
	}
	return func() Trigger { one := a; return &one }
}

func (a *attainmentTrigger) Fires(view *View) bool {
	share, ok := view.Attainment(a.window)
	return a.fires(view.Now, either(ok && share < a.below))
}
