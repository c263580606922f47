// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// Bounds of the clients of a workload, members of cohorts included, and of those that have
// an arrival process of their own.
const maxMembers, maxOwnArrivals = 100_000, 10_000

// blisCohort takes over many similar clients. inference-sim gives each of them a part of
// the cohort's rate.
func (c *converter) blisCohort(s *blisSource) {
	in := s.in
	c.blisClient(s)
	s.client.Arrivals = c.blisProcess(in.required("arrival"))
	in.demand("", "population")
	copies := &v1alpha1.Copies{Count: int32(in.whole("population", 1, 1, maxMembers)), Prefixes: v1alpha1.SharedPrefixes}
	if in.word("prefix_sharing", "shared", "shared", "per_member") == "per_member" {
		copies.Prefixes = v1alpha1.OwnPrefixes
		in.demand("prefix_sharing per_member needs a group", "prefix_group")
	}
	if s.client.Adapter != "" {
		copies.Adapters = v1alpha1.SharedAdapters
	}
	if s.client.Arrivals.Process == v1alpha1.PoissonArrivals {
		// Requests of Poisson processes with equal rates are those of one process, each of a
		// random member.
		copies.Arrivals = v1alpha1.RandomArrivals
	}
	s.client.Copies = copies
	c.blisCourse(s)
}

// blisCourse reads how a cohort's rate changes in time.
func (c *converter) blisCourse(s *blisSource) {
	diurnal, spike, drain := s.in.child("diurnal"), s.in.child("spike"), s.in.child("drain")
	courses := 0
	for _, o := range []*object{diurnal, spike, drain} {
		if o != nil {
			courses++
		}
	}
	if courses > 1 {
		c.fault(field.Forbidden(s.in.path, "a rate has one course: diurnal, spike or drain"))
	}
	if diurnal != nil {
		c.blisDiurnal(diurnal, s)
		diurnal.done()
	}
	if spike != nil {
		c.blisSpike(spike, s)
		spike.done()
	}
	if drain != nil {
		c.blisDrain(drain, s)
		drain.done()
	}
}

const (
	hour = 3600.0 // s
	day  = 24 * hour
)

// blisDiurnal reads a day in which the rate follows a cosine. In each hour, members send at
// their full rate for a part of it, which is all of the hour that begins at peak_hour.
func (c *converter) blisDiurnal(in *object, s *blisSource) {
	in.demand("", "peak_hour", "peak_to_trough_ratio")
	peak, ratio := in.whole("peak_hour", 0, 0, 23), in.number("peak_to_trough_ratio", 1, 1, 1e6)
	for h := range int64(24) {
		s.windows = append(s.windows, blisWindow{start: float64(h) * hour, end: float64(h)*hour + float64(hour*activeShare(h-peak, ratio)), share: s.share})
	}
	s.client.Arrivals.Profile = &v1alpha1.LoadProfile{
		Shape: v1alpha1.DiurnalLoad, At: span((float64(peak) + 0.5) * hour), Period: spanPositive(day), PeakToTrough: positive(ratio),
	}
	c.note("inference-sim sends at the full rate for a part of each hour; here the rate follows the cosine, with its peak in the middle of the hour")
	if until := c.traffic.Horizon.Duration; until == "" || until.Duration().Seconds() > day {
		c.note("inference-sim sends no more requests of a diurnal cohort after 24h; here the next day is like the first: state a horizon of at most 24h for the same")
	}
}

// hourCosines are the cosines of a quarter of a day, from hour to hour.
var hourCosines = [...]float64{1, 0.9659258262890683, 0.8660254037844386, 0.7071067811865476, 0.5, 0.25881904510252074, 0}

// activeShare is the part of an hour in which members send requests. The hour is a number of
// hours after the peak.
func activeShare(hours int64, ratio float64) float64 {
	distance := (hours + 24) % 24
	distance = min(distance, 24-distance)
	cosine := hourCosines[min(distance, 12-distance)]
	if distance > 6 {
		cosine = -cosine
	}
	return float64((1+cosine)/2*(1-1/ratio)) + 1/ratio
}

// meanShare is the mean of activeShare over a day, by which the mean rate is less than the
// greatest.
func meanShare(ratio float64) float64 { return (1 + 1/ratio) / 2 }

// blisSpike reads the time in which a cohort sends requests, and the only one.
func (c *converter) blisSpike(in *object, s *blisSource) {
	in.demand("", "start_time_us", "duration_us")
	start := in.number("start_time_us", 0, 0, maxMicroseconds) * microsecond
	w := blisWindow{start: start, end: start + in.number("duration_us", 1, 1, maxMicroseconds)*microsecond, share: s.share, path: in.path}
	w.weigh(in)
	s.windows = append(s.windows, w)
}

// blisDrain reads a rate that falls to 0. Members send at their full rate, and then for a
// part of each tenth of the ramp.
func (c *converter) blisDrain(in *object, s *blisSource) {
	in.demand("", "start_time_us", "ramp_duration_us")
	start, ramp := in.number("start_time_us", 0, 0, maxMicroseconds)*microsecond, in.number("ramp_duration_us", 1, 1, maxMicroseconds)*microsecond
	if start > 0 {
		s.windows = append(s.windows, blisWindow{end: start, share: s.share})
	}
	for tenth := range 10 {
		from := start + float64(ramp*float64(tenth)/10)
		s.windows = append(s.windows, blisWindow{start: from, end: from + float64(ramp*float64(10-tenth)/100), share: s.share})
	}
	s.client.Arrivals.Profile = &v1alpha1.LoadProfile{Shape: v1alpha1.DrainLoad, Duration: spanPositive(ramp)}
	if start > 0 {
		s.client.Arrivals.Profile.At = span(start)
	}
	c.note("inference-sim lets the rate of a cohort fall in ten steps; here it falls in a straight line")
}
