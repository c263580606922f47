// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"fmt"
	"slices"
	"time"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/hpa"
	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/keda"
	"windtunnel.dev/windtunnel/pkg/simtime"
)

// kedaScaler is KEDA with the autoscaler that it makes. Where both act at one time, KEDA is
// first.
type kedaScaler struct {
	keda *keda.Scaler
	spec keda.Spec
	sync time.Duration
	hpa  *hpaScaler
	// triggers are those of the autoscaler's metrics.
	triggers []int
	sources  []source // by trigger
	answers  []keda.Answer
}

func (s *kedaScaler) Scale(view *autoscaling.View, wanted []int) autoscaling.Reason {
	if s.spec.Annotations.Paused {
		return s.pause(wanted)
	}
	if view.Monitor.Latest(view.Now) == nil && s.readsMetrics() {
		// A run starts in the middle of things: KEDA would find no activity, and scale in.
		return autoscaling.Reason(fmt.Sprintf("stays at %d: no metric has been scraped yet", wanted[0]))
	}
	p := &view.Pools[0]
	polls, syncs := isDue(view.Now, s.spec.Polling), isDue(view.Now, s.sync)
	s.ask(view)
	var why string
	if polls {
		why = s.poll(view, p, wanted)
	}
	if syncs {
		if why != "" {
			why += "; "
		}
		why += string(s.syncHPA(view, p, wanted))
	} else if s.hpa.blind {
		view.Blind()
	}
	return autoscaling.Reason(why)
}

// pause brings the target to the count at which it is paused.
func (s *kedaScaler) pause(wanted []int) autoscaling.Reason {
	was := wanted[0]
	if n := s.spec.Annotations.Replicas; n != nil {
		wanted[0] = int(*n)
	}
	if was == wanted[0] {
		return autoscaling.Reason(fmt.Sprintf("stays at %d: the object is paused", was))
	}
	return autoscaling.Reason(fmt.Sprintf("from %d to %d: the object is paused there", was, wanted[0]))
}

// readsMetrics reports whether any trigger has a query.
func (s *kedaScaler) readsMetrics() bool {
	return slices.ContainsFunc(s.sources, func(x source) bool { return x.query != nil })
}

// isDue reports whether what happens once in a period happens at a time.
func isDue(now simtime.Time, period time.Duration) bool { return now%simtime.Time(period) == 0 }

// ask asks all triggers.
func (s *kedaScaler) ask(view *autoscaling.View) {
	s.answers = s.answers[:0]
	for i := range s.sources {
		x := &s.sources[i]
		x.ask(view)
		a := keda.Answer{}
		switch {
		case len(x.answer) == 1:
			a.Value = x.answer[0].Value
		case len(x.answer) > 1 || x.nullFails:
			a.Failed = true
		}
		s.answers = append(s.answers, a)
	}
}

// poll is KEDA's own part.
func (s *kedaScaler) poll(view *autoscaling.View, p *autoscaling.Pool, wanted []int) string {
	target := keda.Target{Replicas: int32(wanted[0]), Ready: int32(p.Ready())}
	active, failed := s.keda.Activity(target, s.answers)
	d := s.keda.Request(view.Now, target.Replicas, active, failed)
	was := wanted[0]
	if d.Write {
		wanted[0] = int(d.Replicas)
	}
	if failed {
		s.noteFailures(view, was)
	}
	return s.kedaWords(was, wanted[0], failed, d.Active)
}

func (s *kedaScaler) kedaWords(was, to int, failed bool, active keda.Reason) string {
	state := "no trigger is active"
	if active == keda.ScalerActive && s.spec.Annotations.Forced {
		state = "an annotation forces the activation"
		active = ""
	}
	switch active {
	case keda.ScalerActive:
		state = "a trigger is active"
	case keda.ScalerCooldown:
		state = fmt.Sprintf("no trigger is active, within the cooldown of %s", *s.spec.Cooldown)
	}
	if failed {
		state += s.failures()
	}
	if was == to {
		return "KEDA: " + state
	}
	return fmt.Sprintf("KEDA: from %d to %d: %s", was, to, state)
}

// noteFailures notes the triggers that failed. Without replicas KEDA alone decides, and then needs one
// that is active.
func (s *kedaScaler) noteFailures(view *autoscaling.View, was int) {
	for i := range s.answers {
		if s.answers[i].Failed {
			view.Lacks(s.sources[i].name)
		}
	}
	if was == 0 {
		view.Blind()
	}
}

// failures says which triggers failed.
func (s *kedaScaler) failures() string {
	text := ""
	for i := range s.answers {
		switch n := len(s.sources[i].answer); {
		case !s.answers[i].Failed:
		case n > 1:
			text += fmt.Sprintf("; %s has %d values instead of one", s.sources[i].name, n)
		default:
			text += fmt.Sprintf("; %s has no value", s.sources[i].name)
		}
	}
	return text
}

// syncHPA is the autoscaler's part.
func (s *kedaScaler) syncHPA(view *autoscaling.View, p *autoscaling.Pool, wanted []int) autoscaling.Reason {
	target := keda.Target{Replicas: int32(wanted[0]), Ready: int32(p.Ready())}
	s.hpa.look(p, wanted[0])
	// Beyond its bounds, the autoscaler asks for no metric.
	switch n := int32(wanted[0]); {
	case n < s.hpa.spec.Min || n > s.hpa.spec.Max:
		clearObserved(s.hpa.observed)
	case s.spec.Modifiers != nil:
		s.hpa.observed[0], _ = s.keda.Combine(target, s.answers)
	default:
		for k, trigger := range s.triggers {
			s.hpa.observed[k] = s.keda.Observe(trigger, target, s.answers[trigger])
		}
	}
	return s.hpa.decide(view, wanted)
}

func clearObserved(all []hpa.Observation) {
	for i := range all {
		all[i] = hpa.Observation{Failed: true}
	}
}
