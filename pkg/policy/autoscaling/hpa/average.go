// SPDX-License-Identifier: Apache-2.0

package hpa

import "windtunnel.dev/windtunnel/pkg/simtime"

// tally sums the readings of some pods.
type tally struct{ pods, usage, requests int64 }

// add counts one more pod.
func (t *tally) add(usage, request int64) {
	t.pods++
	t.usage += usage
	t.requests += request
}

// merge counts the pods of another tally.
func (t *tally) merge(u tally) {
	t.pods += u.pods
	t.usage += u.usage
	t.requests += u.requests
}

// proposeByPods compares the mean of the pods with the target. Where pods have no sample that
// counts, a change must hold for a cautious guess at them.
func (a *Autoscaler) proposeByPods(now simtime.Time, m *Metric, scale *Scale, readings []Reading) (Proposal, bool) {
	counted, ok := a.count(now, m, scale.Pods, readings)
	if !ok {
		return Proposal{}, false
	}
	p, ratio, ok := m.Target.compare(counted.measured)
	if !ok {
		return Proposal{}, false
	}
	guessed := counted.guess(ratio)
	if guessed.pods == counted.measured.pods {
		p.Replicas = scale.Spec
		if !a.tolerance.holds(ratio) {
			p.Replicas = count(ratio * float64(counted.measured.pods))
		}
		return p, true
	}
	_, cautious, ok := m.Target.compare(guessed)
	p.Replicas = a.tolerance.cautiously(scale.Spec, ratio, cautious, guessed.pods)
	return p, ok
}

// cautiously returns the count by a ratio that includes guesses. The count stays where the
// guesses turn the direction round.
func (t tolerance) cautiously(current int32, ratio, cautious float64, pods int64) int32 {
	if t.holds(cautious) || ratio < 1 && cautious > 1 || ratio > 1 && cautious < 1 {
		return current
	}
	replicas := count(cautious * float64(pods))
	if cautious < 1 && replicas > current || cautious > 1 && replicas < current {
		return current
	}
	return replicas
}

// compare returns the ratio of the usage to the target. It returns false where there are no pods,
// or none has a request to compare with.
func (t Target) compare(u tally) (p Proposal, ratio float64, ok bool) {
	if u.pods == 0 {
		return p, 0, false
	}
	p.Usage = u.usage / u.pods
	if t.Type != Utilization {
		return p, float64(p.Usage) / float64(t.Value), true
	}
	if u.requests == 0 {
		return p, 0, false
	}
	p.Utilization = int32(u.usage * 100 / u.requests)
	return p, float64(p.Utilization) / float64(t.Value), true
}

// counted has the readings of a metric by group. missing has what its pods would use at the
// target, and unready that its pods use nothing.
type counted struct{ measured, missing, unready tally }

// count sorts the pods into groups. It returns false where a request is lacking, be it of a pod
// that does not count.
func (a *Autoscaler) count(now simtime.Time, m *Metric, pods []Pod, readings []Reading) (c counted, ok bool) {
	for i := range pods {
		r := &readings[i]
		if m.Target.Type == Utilization && r.Request < 0 {
			return c, false
		}
		switch a.options.groupOf(now, m.CPU, &pods[i], r) {
		case measured:
			c.measured.add(r.Value, r.Request)
		case missing:
			c.missing.add(m.Target.assumed(r.Request), r.Request)
		case unready:
			c.unready.add(0, r.Request)
		}
	}
	return c, true
}

// assumed is what a pod without a sample counts as where the others are below the target: the
// target, and no less than the request.
func (t Target) assumed(request int64) int64 {
	if t.Type == Utilization {
		return request * max(100, t.Value) / 100
	}
	return t.Value
}

// guess adds pods without a sample, which make the change smaller.
func (c *counted) guess(ratio float64) tally {
	all := c.measured
	if ratio > 1 {
		idle := c.missing
		idle.usage = 0
		all.merge(idle)
		all.merge(c.unready)
	}
	if ratio < 1 {
		all.merge(c.missing)
	}
	return all
}
