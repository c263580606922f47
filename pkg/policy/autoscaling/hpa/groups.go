// SPDX-License-Identifier: Apache-2.0

package hpa

import "windtunnel.dev/windtunnel/pkg/simtime"

// group is how a metric of each pod counts a pod.
type group int

const (
	// ignored pods are on their way out.
	ignored group = iota
	// unready pods lose their samples.
	unready
	// missing pods have no sample.
	missing
	// measured pods count with their samples.
	measured
)

// groupOf returns the group of a pod. Only samples of the CPU depend on readiness, because a pod
// that starts burns CPU which says nothing of its traffic.
func (o *Options) groupOf(now simtime.Time, cpu bool, p *Pod, r *Reading) group {
	switch {
	case p.Terminating || p.Phase == Failed:
		return ignored
	case p.Phase == Pending:
		return unready
	case !r.Sampled:
		return missing
	case cpu && o.inDoubt(now, p, r):
		return unready
	default:
		return measured
	}
}

// inDoubt reports whether a CPU sample may be of a pod that starts: within the initialisation
// period, one of a pod that is not ready or was not for the whole of the sample's window; after
// it, one of a pod that was never ready.
func (o *Options) inDoubt(now simtime.Time, p *Pod, r *Reading) bool {
	if p.Readiness == NoCondition {
		return true
	}
	if p.Start.Add(o.CPUInitialisation) > now {
		return p.Readiness == NotReady || r.At < p.Transition.Add(r.Window)
	}
	return p.Readiness == NotReady && p.Start.Add(o.InitialReadinessDelay) > p.Transition
}
