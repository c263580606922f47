// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// blisWindow is a time in which a client sends requests, in s. Its share is the client's
// part of the rate, or the window's own where it is weighted.
type blisWindow struct {
	start, end float64
	share      float64
	weighted   bool
	path       *field.Path
}

// weigh reads the window's own share.
func (w *blisWindow) weigh(in *object) {
	if w.weighted = in.has("trace_rate"); w.weighted {
		w.share = in.number("trace_rate", 0, 0, maxRate)
	}
	in.ignore("trace_rate")
}

func (w *blisWindow) overlaps(v *blisWindow) bool { return w.start < v.end && v.start < w.end }

// blisLifecycle reads the windows of a client.
func (c *converter) blisLifecycle(s *blisSource) {
	if s.client.ClosedLoop != nil {
		return
	}
	s.client.Arrivals = c.blisProcess(s.in.required("arrival"))
	lifecycle := s.in.child("lifecycle")
	if lifecycle == nil {
		return
	}
	defer lifecycle.done()
	lifecycle.demand("", "windows")
	for _, in := range lifecycle.children("windows") {
		in.refuse("what differs from window to window cannot be carried: make a client of each", "arrival", "input_distribution", "output_distribution")
		in.demand("", "end_us")
		w := blisWindow{
			start: in.number("start_us", 0, 0, maxMicroseconds) * microsecond, end: in.number("end_us", 0, 0, maxMicroseconds) * microsecond,
			share: s.share, path: in.path,
		}
		w.weigh(in)
		in.done()
		s.windows = append(s.windows, w)
	}
}

// blisArrivals gives each source its rate. Without windows that have a share of their own,
// the sources whose windows overlap divide the rate of all by their shares. With some,
// inference-sim divides it anew for each window, and where there is no rate of all, the
// shares are rates.
func (c *converter) blisArrivals(sources []*blisSource, total float64) {
	weighted := slices.ContainsFunc(sources, func(s *blisSource) bool {
		return slices.ContainsFunc(s.windows, func(w blisWindow) bool { return w.weighted })
	})
	if weighted {
		c.note("inference-sim sends exactly rate times duration requests in a window with trace_rate; here their number is random")
	}
	for _, s := range sources {
		switch {
		case s.client.ClosedLoop != nil:
		case weighted:
			c.weightedRates(s, sources, total)
		case total == 0 || s.share == 0:
			c.fault(field.Required(s.in.at("rate_fraction"), "needs aggregate_rate and rate_fraction, or windows with trace_rate"))
		default:
			s.setRate(total * s.share / sharesBeside(s, sources))
			c.stages(s, func(*blisWindow) float64 { return total * s.share / sharesBeside(s, sources) })
		}
	}
}

// sharesBeside is the sum of the shares of the sources that send requests in one of the
// source's windows, its own included.
func sharesBeside(s *blisSource, sources []*blisSource) float64 {
	sum := 0.0
	for _, o := range sources {
		if overlap(s, o) {
			sum += o.share
		}
	}
	return sum
}

// overlap reports whether two sources send requests at the same time. One without windows
// always does.
func overlap(s, o *blisSource) bool {
	if len(s.windows) == 0 || len(o.windows) == 0 {
		return true
	}
	return slices.ContainsFunc(s.windows, func(w blisWindow) bool {
		return slices.ContainsFunc(o.windows, func(v blisWindow) bool { return w.overlaps(&v) })
	})
}

// weightedRates gives a source a rate for each window.
func (c *converter) weightedRates(s *blisSource, sources []*blisSource, total float64) {
	if s.client.Arrivals.Profile != nil {
		c.fault(field.Forbidden(s.in.path, "diurnal and drain cannot be carried together with windows with trace_rate, which divide the rate anew for each window"))
		return
	}
	if len(s.windows) == 0 {
		at := s.in.at("lifecycle")
		if s.isCohort() {
			at = s.in.at("spike")
		}
		c.fault(field.Required(at, "with windows with trace_rate, inference-sim sends no requests of a client without windows"))
		return
	}
	for i := range s.windows {
		if w := &s.windows[i]; total == 0 && !w.weighted {
			c.fault(field.Required(w.path.Child("trace_rate"), "needs aggregate_rate, or a rate of its own"))
			return
		}
	}
	c.stages(s, func(w *blisWindow) float64 {
		if total == 0 || w.share == 0 {
			return w.share
		}
		sum := 0.0
		for _, o := range sources {
			if at := slices.IndexFunc(o.windows, func(v blisWindow) bool { return w.overlaps(&v) }); at >= 0 {
				sum += o.windows[at].share
			}
		}
		return total * w.share / sum
	})
}

// setRate sets the rate outside of windows, or the one that a profile varies.
func (s *blisSource) setRate(rate float64) {
	a := &s.client.Arrivals
	if p := a.Profile; p != nil && p.Shape == v1alpha1.DiurnalLoad {
		rate *= meanShare(p.PeakToTrough.Float())
	}
	if a.Profile != nil || len(s.windows) == 0 {
		a.Rate = positive(rate)
	}
}

// stages makes stages of the windows of a source that has no profile, with pauses between
// them.
func (c *converter) stages(s *blisSource, rate func(*blisWindow) float64) {
	if s.client.Arrivals.Profile != nil || len(s.windows) == 0 {
		return
	}
	windows := slices.Clone(s.windows)
	slices.SortStableFunc(windows, func(a, b blisWindow) int { return cmp.Compare(a.start, b.start) })
	var stages []v1alpha1.RateStage
	at := 0.0
	for i := range windows {
		w := &windows[i]
		if w.start < at || w.end <= w.start {
			c.fault(field.Invalid(w.path, span(w.start), "windows must not overlap, and must have a duration"))
			return
		}
		if w.start > at {
			stages = append(stages, v1alpha1.RateStage{Rate: "0", Duration: spanPositive(w.start - at)})
		}
		stages = append(stages, v1alpha1.RateStage{Rate: v1alpha1.NonNegativeDecimal(decimal(rate(w))), Duration: spanPositive(w.end - w.start)})
		at = w.end
	}
	if len(stages) > maxStages {
		c.fault(field.TooMany(s.in.at("lifecycle").Child("windows"), len(stages), maxStages))
	}
	s.client.Arrivals.Stages = stages
}
