// SPDX-License-Identifier: Apache-2.0

package hpa

import (
	"math"

	"windtunnel.dev/windtunnel/pkg/simtime"
)

// limitPlainly bounds a count without behaviour: a sync may double the count, or bring it to 4.
func limitPlainly(current, desired, least, most int32) (int32, Reason) {
	reason := TooManyReplicas
	if fast := count(max(2*float64(current), 4)); most > fast {
		most, reason = fast, ScaleUpLimit
	}
	switch {
	case desired < least:
		return least, TooFewReplicas
	case desired > most:
		return most, reason
	default:
		return desired, DesiredWithinRange
	}
}

// limit bounds a count by the policies of its direction. A bound on the wrong side of the current
// count keeps the count.
func (a *Autoscaler) limit(now simtime.Time, current, desired int32) (int32, Reason) {
	switch {
	case desired > current:
		most, reason := a.spec.Max, TooManyReplicas
		if fast := max(current, a.fastestUp(now, current)); most > fast {
			most, reason = fast, ScaleUpLimit
		}
		if desired > most {
			return most, reason
		}
	case desired < current:
		least, reason := a.spec.Min, TooFewReplicas
		if fast := min(current, a.fastestDown(now, current)); least < fast {
			least, reason = fast, ScaleDownLimit
		}
		if desired < least {
			return least, reason
		}
	}
	return desired, DesiredWithinRange
}

// fastestUp returns the largest count that the policies allow.
func (a *Autoscaler) fastestUp(now simtime.Time, current int32) int32 {
	rules := a.spec.Behavior.ScaleUp
	if rules.Select == Disabled {
		return current
	}
	limit := int32(math.MinInt32)
	if rules.Select == Min {
		limit = math.MaxInt32
	}
	for i := range rules.Policies {
		p := &rules.Policies[i]
		start := a.periodStart(now, current, p)
		allowed := start + p.Value
		if p.Type == PercentPolicy {
			// Rounded up, or one replica would stay one for ever.
			allowed = count(float64(start) * (1 + float64(p.Value)/100))
		}
		if rules.Select == Min {
			limit = min(limit, allowed)
		} else {
			limit = max(limit, allowed)
		}
	}
	return limit
}

// fastestDown returns the smallest count that the policies allow.
func (a *Autoscaler) fastestDown(now simtime.Time, current int32) int32 {
	rules := a.spec.Behavior.ScaleDown
	if rules.Select == Disabled {
		return current
	}
	limit := int32(math.MaxInt32)
	if rules.Select == Min {
		limit = math.MinInt32
	}
	for i := range rules.Policies {
		p := &rules.Policies[i]
		start := a.periodStart(now, current, p)
		allowed := start - p.Value
		if p.Type == PercentPolicy {
			allowed = int32(float64(start) * (1 - float64(p.Value)/100))
		}
		if rules.Select == Min {
			limit = max(limit, allowed)
		} else {
			limit = min(limit, allowed)
		}
	}
	return limit
}

// periodStart returns the count at the start of a policy's period.
func (a *Autoscaler) periodStart(now simtime.Time, current int32, p *Policy) int32 {
	return current - a.ups.within(now, p.Period) + a.downs.within(now, p.Period)
}
