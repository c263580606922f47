// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// wvaScaler is the analyser of a workload-variant-autoscaler, with the autoscaler that follows
// the analyser. Without one, the analyser itself sets the replicas.
type wvaScaler struct {
	config wva.Config
	// follower is asked where one of its periods ends; nil without a follower.
	follower autoscaling.Scaler
	periods  []time.Duration

	desired  int          // what was last asked for; 0 before that
	exported simtime.Time // up to which samples have what was asked for
	replicas []wva.Replica
	// blind says that the last analysis had no metrics.
	blind bool
}

func (s *wvaScaler) Scale(view *autoscaling.View, wanted []int) autoscaling.Reason {
	s.export(view)
	why := ""
	if isDue(view.Now, wva.Interval) {
		why = s.analyse(view, wanted)
	}
	if s.blind {
		view.Blind()
	}
	if s.follower == nil {
		if s.desired > 0 {
			wanted[0] = s.desired
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
		sample.Recommended = s.desired
	}
	s.exported = view.Now
}

// analyse has the analyser decide, and says why.
func (s *wvaScaler) analyse(view *autoscaling.View, wanted []int) string {
	p := &view.Pools[0]
	s.measure(view, p)
	state := wva.State{Current: len(p.Replicas), Desired: s.desired, Pending: len(p.Replicas) - p.Ready()}
	if state.Current == 0 {
		state.Current = wanted[0]
	}
	d := s.config.Decide(s.replicas, state)
	if s.blind = d.Reason == wva.Unmeasured; s.blind {
		view.Lacks("every replica")
	}
	if d.Reason != wva.Unmeasured {
		// The controller keeps what it asked for where there are no metrics, and keeps one replica.
		s.desired = max(d.Target, 1)
		if s.follower == nil {
			s.desired = min(max(s.desired, p.Min), p.Max)
		}
		view.Note("replicas not saturated", float64(d.Free))
		view.Note("spare KV", d.SpareKV)
		view.Note("spare queue", d.SpareQueue)
		view.Note("WVA asks for", float64(s.desired))
	}
	return s.words(&d, state)
}

// measure takes the maxima of each replica, and of each that drains and has not ended: its pod
// is there.
func (s *wvaScaler) measure(view *autoscaling.View, p *autoscaling.Pool) {
	s.replicas = s.replicas[:0]
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
			s.measureOne(view, p.First+place, started)
		}
	}
}

// measureOne takes the maxima of the replica at a place that began to serve at a time.
func (s *wvaScaler) measureOne(view *autoscaling.View, place int, started simtime.Time) {
	var r wva.Replica
	measured := false
	for n := 0; ; n++ {
		sample := view.Monitor.Back(n)
		if sample == nil || sample.At.Add(wva.Window) <= view.Now {
			break
		}
		e := &sample.Engines[place]
		if sample.At.Add(view.Monitor.Delay) > view.Now || !e.Up || e.Started != started {
			continue
		}
		r.KVUsage, r.Waiting, measured = max(r.KVUsage, e.KVUsage), max(r.Waiting, e.Waiting), true
	}
	if measured {
		s.replicas = append(s.replicas, r)
	}
}
