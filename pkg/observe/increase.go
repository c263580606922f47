// SPDX-License-Identifier: Apache-2.0

package observe

import "sort"

// between returns the points from one time to another, both included.
func between(points []Sample, from, to int64) []Sample {
	first := sort.Search(len(points), func(i int) bool { return points[i].At >= from })
	last := sort.Search(len(points), func(i int) bool { return points[i].At > to })
	return points[first:last]
}

// increase returns by how much a counter grew from one time to another; ok is false of fewer than
// two points. It is Prometheus' increase: a value that is less than the one before is a reset, after
// which the counter began at 0. Where a bound is about as near to its point as the points are to
// each other, the growth goes on to the bound, and half a distance beyond the point elsewhere; a
// counter is not below 0 before its first point. Prometheus leaves a point at the lower bound out,
// and estimates up to it what is known here.
func increase(points []Sample, from, to int64) (growth float64, ok bool) {
	points = between(points, from, to)
	if len(points) < 2 {
		return 0, false
	}
	first, last := points[0], points[len(points)-1]
	growth = last.Value - first.Value
	for i := 1; i < len(points); i++ {
		if points[i].Value < points[i-1].Value {
			growth += points[i-1].Value
		}
	}
	covered := float64(last.At - first.At)
	apart := covered / float64(len(points)-1)
	before := reach(float64(first.At-from), apart)
	if growth > 0 && first.Value >= 0 {
		before = min(before, covered*first.Value/growth)
	}
	after := reach(float64(to-last.At), apart)
	return growth * (covered + before + after) / covered, true
}

// reach is how far growth goes on beyond a point, towards a bound at a distance.
func reach(distance, apart float64) float64 {
	if distance < 1.1*apart {
		return distance
	}
	return apart / 2
}
