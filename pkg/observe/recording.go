// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

// A Recording is the samples that a Prometheus has of some series.
type Recording struct {
	Series []Series
	// Dropped counts samples that are no finite numbers.
	Dropped int
}

// A Series is a metric under one set of labels.
type Series struct {
	Metric string
	// Labels are all but the name of the metric.
	Labels map[string]string
	// Points are in order of time, one at a time.
	Points []Sample
}

// A Sample is a sample. At is in milliseconds since 1970, as in Prometheus.
type Sample struct {
	At    int64
	Value float64
}

// labelLE is the upper bound of a bucket.
const labelLE = "le"

// add adds samples of a series, of which it takes the finite ones.
func (r *Recording) add(metric string, labels map[string]string, points []Sample) {
	kept := points[:0]
	for _, p := range points {
		if math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
			r.Dropped++
			continue
		}
		kept = append(kept, p)
	}
	r.Series = append(r.Series, Series{metric, labels, kept})
}

// normalize puts the parts of each series together, in order of time, and the series in order of
// their names. Of several samples at one time the last one stays.
func (r *Recording) normalize() {
	at := map[string]int{}
	var merged []Series
	for _, s := range r.Series {
		key := s.key()
		i, known := at[key]
		if !known {
			at[key] = len(merged)
			merged = append(merged, s)
			continue
		}
		merged[i].Points = append(merged[i].Points, s.Points...)
	}
	for i := range merged {
		merged[i].Points = inOrder(merged[i].Points)
	}
	slices.SortFunc(merged, func(a, b Series) int { return cmp.Compare(a.key(), b.key()) })
	r.Series = merged
}

// inOrder sorts points by time, and keeps the last of each time.
func inOrder(points []Sample) []Sample {
	slices.SortStableFunc(points, func(a, b Sample) int { return cmp.Compare(a.At, b.At) })
	kept := points[:0]
	for i, p := range points {
		if i+1 < len(points) && points[i+1].At == p.At {
			continue
		}
		kept = append(kept, p)
	}
	return kept
}

// key tells series apart.
func (s *Series) key() string {
	var b strings.Builder
	b.WriteString(s.Metric)
	for _, name := range slices.Sorted(maps.Keys(s.Labels)) {
		b.WriteString("\x00" + name + "\x00" + s.Labels[name])
	}
	return b.String()
}

// named returns the series of the first of some names that there are any of.
func (r *Recording) named(names []string) []*Series {
	for _, name := range names {
		var found []*Series
		for i := range r.Series {
			if r.Series[i].Metric == name && len(r.Series[i].Points) > 0 {
				found = append(found, &r.Series[i])
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// Span returns the times of the first and of the last sample; ok is false without samples.
func (r *Recording) Span() (first, last time.Time, ok bool) {
	var from, to int64 = math.MaxInt64, math.MinInt64
	for i := range r.Series {
		if points := r.Series[i].Points; len(points) > 0 {
			from, to = min(from, points[0].At), max(to, points[len(points)-1].At)
		}
	}
	return time.UnixMilli(from).UTC(), time.UnixMilli(to).UTC(), from <= to
}

// Interval returns the median time between two samples of a series; 0 where no series has two.
func (r *Recording) Interval() time.Duration {
	var gaps []int64
	for i := range r.Series {
		points := r.Series[i].Points
		for k := 1; k < len(points); k++ {
			gaps = append(gaps, points[k].At-points[k-1].At)
		}
	}
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return time.Duration(gaps[len(gaps)/2]) * time.Millisecond
}
