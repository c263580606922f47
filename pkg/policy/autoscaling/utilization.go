// SPDX-License-Identifier: Apache-2.0

package autoscaling

import "time"

// utilization is a rule by the share of the window in which steps were under way.
type utilization struct {
	target, tolerance float64
	window            time.Duration
}

func readUtilization(l *loader) func() Scaler {
	u := utilization{
		target:    l.Between("target", 0.01, 1, 0.7, "the share of time in which an accelerator is to be busy"),
		tolerance: readTolerance(l),
		window:    l.window("window", time.Minute, "the time over which the share is taken"),
	}
	return eachPoolOf(l, u, readCooldowns(l, 0, 5*time.Minute))
}

// readTolerance reads by how much a load may differ from its target.
func readTolerance(l *loader) float64 {
	return l.Between("tolerance", 0, 0.99, 0.1, "the relative difference from the target up to which nothing changes")
}

func (u utilization) propose(at *place) proposal {
	sum, measured := at.busy(at.pool, u.window)
	if measured == 0 {
		return at.keep("no signal: no replica was up for %s", u.window)
	}
	mean := sum / float64(measured)
	at.note("utilization", mean)
	to, within := proportional(sum/u.target, measured, at.pool.Wanted, u.tolerance)
	switch {
	case !within:
		return proposal{to, reasonf("accelerators are busy %.0f %% of the time, for a target of %.0f %%", 100*mean, 100*u.target)}
	case measured < at.pool.Wanted:
		return at.keep("accelerators are busy %.0f %% of the time, for a target of %.0f %%, with %d of %d replicas measured",
			100*mean, 100*u.target, measured, at.pool.Wanted)
	default:
		return at.keep("accelerators are busy %.0f %% of the time, within tolerance of %.0f %%", 100*mean, 100*u.target)
	}
}
