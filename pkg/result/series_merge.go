// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// ErrOtherScenario says that series are of different scenarios, or of different versions of
// the engine, and cannot be merged.
var ErrOtherScenario = errors.New("the series are not of the same scenario")

// MergeSeries returns the series of all runs together: the same in any order, and in any
// grouping. It leaves nil ones out, and returns nil for none.
func MergeSeries(all ...*Series) (*Series, error) {
	var sum *Series
	for _, s := range all {
		switch {
		case s == nil:
			continue
		case sum == nil:
			sum = s.clone()
			continue
		}
		if err := sum.merge(s.clone()); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// Widen makes each two bins one.
func (s *Series) Widen() {
	s.WidthUnits *= 2
	s.eachColumn(func(bins []int64) []int64 {
		kept := bins[:0]
		for i, n := range bins {
			if i%2 == 0 {
				kept = append(kept, n)
			} else {
				kept[i/2] += n
			}
		}
		return kept
	})
}

// eachColumn replaces each column.
func (s *Series) eachColumn(with func([]int64) []int64) {
	track := func(t *SeriesTrack) {
		for name, bins := range t.Columns {
			t.Columns[name] = with(bins)
		}
	}
	s.Lasted = with(s.Lasted)
	track(&s.Gateway)
	for i := range s.Pools {
		track(&s.Pools[i])
	}
	for i := range s.Replicas {
		track(&s.Replicas[i])
	}
	for i := range s.Routers {
		r := &s.Routers[i]
		r.Known, r.Prefix, r.Load = with(r.Known), with(r.Prefix), with(r.Load)
	}
}

// clone copies what merging changes.
func (s *Series) clone() *Series {
	c := *s
	tracks := func(all []SeriesTrack) []SeriesTrack {
		all = slices.Clone(all)
		for i := range all {
			all[i].Columns = maps.Clone(all[i].Columns)
		}
		return all
	}
	c.Gateway.Columns = maps.Clone(c.Gateway.Columns)
	c.Pools, c.Replicas = tracks(c.Pools), tracks(c.Replicas)
	c.Routers, c.Distributions = slices.Clone(c.Routers), slices.Clone(c.Distributions)
	c.eachColumn(slices.Clone)
	return &c
}

// merge adds the runs of other, which it may change.
func (s *Series) merge(other *Series) error {
	if err := s.compare(other); err != nil {
		return err
	}
	for s.WidthUnits < other.WidthUnits {
		s.Widen()
	}
	for other.WidthUnits < s.WidthUnits {
		other.Widen()
	}
	if s.WidthUnits != other.WidthUnits {
		return ErrOtherScenario
	}
	s.Runs += other.Runs
	s.Lasted = addBins(s.Lasted, other.Lasted)
	s.Gateway.add(&other.Gateway)
	for i := range s.Pools {
		s.Pools[i].add(&other.Pools[i])
	}
	for i := range s.Replicas {
		s.Replicas[i].add(&other.Replicas[i])
	}
	for i := range s.Routers {
		r, o := &s.Routers[i], &other.Routers[i]
		r.Known, r.Prefix, r.Load = addBins(r.Known, o.Known), addBins(r.Prefix, o.Prefix), addBins(r.Load, o.Load)
	}
	s.mergeDistributions(other.Distributions)
	n := len(s.Lasted)
	s.eachColumn(func(bins []int64) []int64 { return append(bins, make([]int64, n-len(bins))...) })
	return nil
}

// compare says why two series cannot be merged; nil if they can.
func (s *Series) compare(other *Series) error {
	identity := func(s *Series) string {
		names := []any{s.SchemaVersion, s.EngineVersion, s.UnitNanoseconds, s.LeftOut}
		for _, all := range [][]SeriesTrack{s.Pools, s.Replicas} {
			for _, t := range all {
				names = append(names, t.Name, t.KVBlocks)
			}
		}
		for _, r := range s.Routers {
			names = append(names, r.Model, r.Law)
		}
		return fmt.Sprintf("%q", names)
	}
	if identity(s) != identity(other) {
		return ErrOtherScenario
	}
	return nil
}

func (t *SeriesTrack) add(other *SeriesTrack) {
	for name, bins := range other.Columns {
		t.Columns[name] = addBins(t.Columns[name], bins)
	}
	t.PeakWaiting = max(t.PeakWaiting, other.PeakWaiting)
	t.PeakRunning = max(t.PeakRunning, other.PeakRunning)
	t.PeakBlocks = max(t.PeakBlocks, other.PeakBlocks)
}

// addBins adds bins, of which either may have more.
func addBins(a, b []int64) []int64 {
	if len(a) < len(b) {
		a, b = slices.Clone(b), a
	}
	for i, n := range b {
		a[i] += n
	}
	return a
}

// mergeDistributions adds distributions; the order is that of classes and latencies.
func (s *Series) mergeDistributions(other []SeriesDistribution) {
	for _, d := range other {
		at := slices.IndexFunc(s.Distributions, func(e SeriesDistribution) bool { return e.Class == d.Class && e.Metric == d.Metric })
		if at < 0 {
			s.Distributions = append(s.Distributions, d)
			continue
		}
		s.Distributions[at].Outline = s.Distributions[at].Merge(d.Outline, MaxDistributionPoints)
	}
	sortDistributions(s.Distributions)
}

// sortDistributions puts distributions in the order of class names, and within a class of
// latencies.
func sortDistributions(all []SeriesDistribution) {
	place := func(name string) int {
		return slices.IndexFunc(seriesLatencies, func(l seriesLatency) bool { return l.name == name })
	}
	slices.SortFunc(all, func(a, b SeriesDistribution) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(place(a.Metric), place(b.Metric)))
	})
}
