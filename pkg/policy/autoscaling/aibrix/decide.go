// SPDX-License-Identifier: Apache-2.0

package aibrix

import (
	"math"
	"slices"
	"time"
)

// Reason is why a decision is what it is.
type Reason string

// The reasons.
const (
	// Disabled: there is no replica, and the minimum is not 0.
	Disabled Reason = "Disabled"
	// AboveMaximum and BelowMinimum: the bounds decide, without metrics.
	AboveMaximum Reason = "AboveMaximum"
	BelowMinimum Reason = "BelowMinimum"
	// Unmeasured: no metric has a value.
	Unmeasured Reason = "Unmeasured"
	// Panicked and Measured: the metrics decide, of which the one that decides panics or not.
	Panicked Reason = "Panicked"
	Measured Reason = "Measured"
)

// Decision is what the controller found and asks for.
type Decision struct {
	// Target is the number of replicas that it asks for.
	Target int
	Reason Reason
	// Metric is the place of the metric that decides, whose means over the windows are Stable and
	// Panic; Recommended is what it asks for before the cooldowns.
	Metric        int
	Stable, Panic float64
	Recommended   int
}

// An Autoscaler is a PodAutoscaler with what the controller remembers of it.
type Autoscaler struct {
	config  Config
	metrics []struct{ stable, panic window }
	recent  []recommendation
}

// recommendation is what was asked for at a time.
type recommendation struct {
	at       time.Duration
	replicas int
}

// New makes an autoscaler that remembers nothing.
func New(c Config) *Autoscaler {
	return &Autoscaler{config: c, metrics: make([]struct{ stable, panic window }, len(c.Targets))}
}

// Decide decides by the values of the pods, metric by metric. A metric without values counts by what its
// windows have; one that failed, which is nil, does not count.
func (a *Autoscaler) Decide(now time.Duration, current int, values [][]float64) Decision {
	c := &a.config
	switch {
	case current == 0 && c.Min != 0:
		return Decision{Reason: Disabled}
	case current > c.Max:
		return Decision{Target: c.Max, Reason: AboveMaximum}
	case current < c.Min:
		return Decision{Target: c.Min, Reason: BelowMinimum}
	}
	best := Decision{Target: current, Reason: Unmeasured}
	for i, of := range values {
		if of == nil {
			continue
		}
		if d := a.measure(i, now, current, of); best.Reason == Unmeasured || d.Recommended > best.Recommended {
			best = d
		}
	}
	if best.Reason != Unmeasured {
		best.Target = min(max(a.cooled(now, best.Recommended, current), c.Min), c.Max)
	}
	return best
}

// measure says what a metric asks for.
func (a *Autoscaler) measure(i int, now time.Duration, current int, values []float64) Decision {
	m := &a.metrics[i]
	if len(values) > 0 {
		sum := 0.0
		for _, x := range values {
			sum += x
		}
		mean := sum / float64(len(values))
		m.stable.record(now, a.config.Window, mean)
		m.panic.record(now, a.config.PanicWindow, mean)
	}
	d := Decision{Reason: Measured, Metric: i, Stable: m.stable.mean(), Panic: m.panic.mean()}
	n, target := float64(current), a.config.Targets[i]
	if a.config.Strategy == APA {
		d.Recommended = a.config.proportional(n, d.Stable/target)
	} else {
		d.Recommended = a.config.absolute(n, d.Stable, target)
		if d.Stable <= 0 || d.Panic/d.Stable > a.config.PanicThreshold {
			d.Reason = Panicked
			d.Recommended = max(d.Recommended, a.config.absolute(n, d.Panic, target))
		}
	}
	d.Recommended = min(max(d.Recommended, a.config.Min), a.config.Max)
	return d
}

// proportional is APA: the replicas times the ratio of the metric to its target.
func (c *Config) proportional(n, ratio float64) int {
	switch wanted := math.Ceil(n * ratio); {
	case ratio > 1+c.UpTolerance:
		return int(min(wanted, math.Ceil(c.MaxScaleUpRate*n)))
	case ratio < 1-c.DownTolerance:
		return int(max(wanted, math.Floor(n/c.MaxScaleDownRate)))
	default:
		return int(n)
	}
}

// absolute is KPA: the metric, which is a mean of the pods, divided by its target.
func (c *Config) absolute(n, value, target float64) int {
	wanted := n
	if value > float64(target*(1+c.UpTolerance)) || value < float64(target*(1-c.DownTolerance)) {
		wanted = math.Ceil(value / target)
	}
	least, most := math.Floor(n/c.MaxScaleDownRate), max(1, math.Ceil(c.MaxScaleUpRate*n))
	return int(min(max(wanted, least), most))
}

// cooled is the largest of the recommendations in the cooldown for more replicas, or the smallest for
// fewer.
func (a *Autoscaler) cooled(now time.Duration, replicas, current int) int {
	c := &a.config
	longest := max(c.UpCooldown, c.DownCooldown)
	a.recent = append(a.recent, recommendation{now, replicas})
	a.recent = slices.DeleteFunc(a.recent, func(r recommendation) bool { return r.at <= now-longest })
	extreme, cooldown := func(x, y int) int { return max(x, y) }, c.UpCooldown
	switch {
	case replicas == current:
		return current
	case replicas < current:
		extreme, cooldown = func(x, y int) int { return min(x, y) }, c.DownCooldown
	}
	for _, r := range a.recent {
		if r.at > now-cooldown {
			replicas = extreme(replicas, r.replicas)
		}
	}
	return replicas
}

// window has the values of whole seconds.
type window []struct {
	second int64
	value  float64
}

// record adds a value, and forgets those that are older than a time.
func (w *window) record(now, length time.Duration, value float64) {
	second := int64(now / time.Second)
	if n := len(*w); n > 0 && (*w)[n-1].second == second {
		*w = (*w)[:n-1]
	}
	*w = append(*w, struct {
		second int64
		value  float64
	}{second, value})
	oldest := int64((now - length) / time.Second)
	for len(*w) > 0 && (*w)[0].second < oldest {
		*w = (*w)[1:]
	}
}

func (w *window) mean() float64 {
	sum := 0.0
	for i := range *w {
		sum += (*w)[i].value
	}
	if len(*w) == 0 {
		return 0
	}
	return sum / float64(len(*w))
}
