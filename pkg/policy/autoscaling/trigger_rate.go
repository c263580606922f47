// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"math"
	"time"
)

// rateTrigger fires where the arrival rate over a short time differs from that over a
// long one.
type rateTrigger struct {
	change            float64
	window, reference time.Duration
	held
}

func readRateTrigger(l *loader) func() Trigger {
	r := rateTrigger{
		change:    l.Positive("change", 0.5, "the relative change of the arrival rate above which the trigger fires, either way"),
		window:    l.window("window", 30*time.Second, "the time over which the new rate is taken"),
		reference: l.window("reference", 5*time.Minute, "the time over which the rate is taken that it is compared with; in a younger run all of its time, from twice window on"),
		held:      readHeld(l),
	}
	if r.reference < 2*r.window {
		l.Invalid("reference", "must be at least twice as long as window")
	}
	return func() Trigger { one := r; return &one }
}

func (r *rateTrigger) Fires(view *View) bool {
	// In a run that is younger than the reference, this is all of its time. The new rate must
	// not be compared with itself.
	if time.Duration(view.Now) < 2*r.window {
		return r.fires(view.Now, 0)
	}
	recent, ok := view.ArrivalRate(r.window)
	usual, known := view.ArrivalRate(r.reference)
	changed := ok && known && math.Abs(recent-usual) > float64(r.change*usual)
	return r.fires(view.Now, either(changed))
}
