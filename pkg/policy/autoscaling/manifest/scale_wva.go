// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// wvaScaler is the analyser of a workload-variant-autoscaler, with the autoscaler that follows
// the analyser. Without one, the analyser itself sets the replicas.
type wvaScaler struct {
	analyser
	// follower is asked where one of its periods ends; nil without a follower.
	follower autoscaling.Scaler
	periods  []time.Duration

	desired  []int        // what was last asked for of each pool; 0 before that
	asked    bool         // whether anything was asked for
	exported simtime.Time // up to which samples have what was asked for
	// blind says that the last analysis had no metrics.
	blind bool
}

// An analyser decides how many replicas the pools of a model need.
type analyser interface {
	// interval is the time between two decisions.
	interval() time.Duration
	// analyse replaces what is desired of each pool by what the analyser asks for, of which bounded
	// makes what is exported, and says why. measured is false where no replica has metrics: what is
	// desired stays.
	analyse(view *autoscaling.View, wanted, desired []int, bounded func(pool, replicas int) int) (why string, measured bool)
}

func (s *wvaScaler) Scale(view *autoscaling.View, wanted []int) autoscaling.Reason {
	if s.desired == nil {
		s.desired = make([]int, len(wanted))
	}
	s.export(view)
	why := ""
	if isDue(view.Now, s.interval()) {
		measured := false
		why, measured = s.analyse(view, wanted, s.desired, func(pool, replicas int) int {
			if p := &view.Pools[pool]; s.follower == nil {
				return min(max(replicas, p.Min), p.Max)
			}
			return replicas
		})
		if s.blind = !measured; s.blind {
			view.Lacks("every replica")
		}
		s.asked = s.asked || measured
	}
	if s.blind {
		view.Blind()
	}
	if s.follower == nil {
		if s.asked {
			copy(wanted, s.desired)
		}
		return autoscaling.Reason(why)
	}
	for _, period := range s.periods {
		if isDue(view.Now, period) {
			return autoscaling.Reason(joined(why, string(s.follower.Scale(view, wanted))))
		}
	}
	return autoscaling.Reason(why)
}

// joined are the reasons of two that act at one time.
func joined(first, second string) string {
	if first == "" || second == "" {
		return first + second
	}
	return first + "; " + second
}

// export writes what was asked for into the samples since the last call, which were taken before
// the analyser decides now.
func (s *wvaScaler) export(view *autoscaling.View) {
	for n := 0; ; n++ {
		sample := view.Monitor.Back(n)
		if sample == nil || sample.At <= s.exported {
			break
		}
		sample.Recommended = s.desired[0]
	}
	s.exported = view.Now
}

// percentages is the analyser by percentages.
type percentages struct {
	config   wva.Config
	replicas []wva.Replica
}

func (a *percentages) interval() time.Duration { return wva.Interval }

func (a *percentages) analyse(view *autoscaling.View, wanted, desired []int, bounded func(pool, replicas int) int) (why string, measured bool) {
	p := &view.Pools[0]
	a.measure(view, p)
	state := wva.State{Current: len(p.Replicas), Desired: desired[0], Pending: len(p.Replicas) - p.Ready()}
	if state.Current == 0 {
		state.Current = wanted[0]
	}
	d := a.config.Decide(a.replicas, state)
	if d.Reason != wva.Unmeasured {
		// The controller keeps what it asked for where there are no metrics, and keeps one replica.
		desired[0] = bounded(0, max(d.Target, 1))
		view.Note("replicas not saturated", float64(d.Free))
		view.Note("spare KV", d.SpareKV)
		view.Note("spare queue", d.SpareQueue)
		view.Note("WVA asks for", float64(desired[0]))
	}
	return percentageWords(&d, state, desired[0]), d.Reason != wva.Unmeasured
}

// measure takes the maxima of each replica.
func (a *percentages) measure(view *autoscaling.View, p *autoscaling.Pool) {
	a.replicas = a.replicas[:0]
	eachPod(view, p, func(place int, started simtime.Time) {
		if kv, waiting, ok := maxima(view, place, started); ok {
			a.replicas = append(a.replicas, wva.Replica{KVUsage: kv, Waiting: waiting})
		}
	})
}

// eachPod calls do for each replica that serves, and for each that drains and has not ended: its
// pod is there. It has the place of the replica, and when it began to serve.
func eachPod(view *autoscaling.View, p *autoscaling.Pool, do func(place int, started simtime.Time)) {
	newest := view.Monitor.Back(0)
	if newest == nil {
		return
	}
	k := 0
	for place := range p.Endpoints {
		started, there := newest.Engines[p.First+place].Started, newest.Engines[p.First+place].Up
		for k < len(p.Replicas) && p.Replicas[k].Endpoint < p.First+place {
			k++
		}
		if k < len(p.Replicas) && p.Replicas[k].Endpoint == p.First+place {
			started, there = p.Replicas[k].Ready, p.Replicas[k].Stage.Serves()
		}
		if there {
			do(p.First+place, started)
		}
	}
}

// maxima are those over the window of the replica at a place that began to serve at a time; ok is
// false without samples of it.
func maxima(view *autoscaling.View, place int, started simtime.Time) (kv float64, waiting int, ok bool) {
	eachSample(view, wva.Window, place, started, func(e *autoscaling.Engine) {
		kv, waiting, ok = max(kv, e.KVUsage), max(waiting, e.Waiting), true
	})
	return kv, waiting, ok
}

// eachSample calls do for the samples of a replica in a window that can be read, the newest first.
func eachSample(view *autoscaling.View, window time.Duration, place int, started simtime.Time, do func(*autoscaling.Engine)) {
	for n := 0; ; n++ {
		sample := view.Monitor.Back(n)
		if sample == nil || sample.At.Add(window) <= view.Now {
			break
		}
		e := &sample.Engines[place]
		if sample.At.Add(view.Monitor.Delay) <= view.Now && e.Up && e.Started == started {
			do(e)
		}
	}
}

// noneAsked are pools of which nothing was asked yet.
func noneAsked(desired []int) bool {
	return !slices.ContainsFunc(desired, func(n int) bool { return n > 0 })
}
