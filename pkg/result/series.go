// SPDX-License-Identifier: Apache-2.0

package result

import (
	"time"

	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// SeriesSchemaVersion names the layout of [Series].
const SeriesSchemaVersion = "windtunnel.dev/series/v1"

// MaxSeriesBins is how many bins of time series have at most.
const MaxSeriesBins = 600

// MaxDistributionPoints is how many points a distribution has at most.
const MaxDistributionPoints = 200

// Series are time series and distributions of some runs of one scenario, each under a seed of
// its own. All of it is integers, so that merging is exact, in any order. Bin i of a column
// is about the time from i·WidthUnits on, in units of UnitNanoseconds. [Series.Lines] says
// what it comes to.
type Series struct {
	SchemaVersion string `json:"schemaVersion"`
	EngineVersion string `json:"engineVersion"`
	// Runs is how many runs there are.
	Runs            int   `json:"runs"`
	UnitNanoseconds int64 `json:"unitNanoseconds"`
	WidthUnits      int64 `json:"widthUnits"`
	// Lasted integrates the number of runs that were not over.
	Lasted []int64 `json:"lasted"`
	// Gateway has the requests that no replica accepted.
	Gateway SeriesTrack   `json:"gateway"`
	Pools   []SeriesTrack `json:"pools"`
	// Replicas are in the order of the pools. Where there are more than
	// [simulator.MaxSeriesReplicas], there are none, and LeftOut counts them.
	Replicas []SeriesTrack `json:"replicas,omitempty"`
	LeftOut  int           `json:"leftOut,omitempty"`
	// Routers are those whose weights change.
	Routers []SeriesRouter `json:"routers,omitempty"`
	// Distributions are of the requests that arrived after the warm-up, by class.
	Distributions []SeriesDistribution `json:"distributions"`
}

// SeriesTrack has the sums of a replica, of a pool, or of the gateway.
type SeriesTrack struct {
	// Name is the pool, or the pool and the number of the replica in it, from 0.
	Name string `json:"name,omitempty"`
	// KVBlocks is how many a replica has.
	KVBlocks int64 `json:"kvBlocks,omitempty"`
	// Columns are by name; one that is 0 throughout is not there.
	Columns map[string][]int64 `json:"columns"`
	// The peaks are the greatest values that stood for some time: of a pool, at one replica.
	PeakWaiting int64 `json:"peakWaiting,omitempty"`
	PeakRunning int64 `json:"peakRunning,omitempty"`
	PeakBlocks  int64 `json:"peakBlocks,omitempty"`
}

// SeriesRouter has the weights of a router, of which Prefix and Load integrate thousandths
// over the time that Known does.
type SeriesRouter struct {
	Model  string  `json:"model,omitempty"`
	Law    string  `json:"law"`
	Known  []int64 `json:"known"`
	Prefix []int64 `json:"prefix"`
	Load   []int64 `json:"load"`
}

// SeriesDistribution is how often a latency of a class was measured, in nanoseconds.
type SeriesDistribution struct {
	Class  string `json:"class"`
	Metric string `json:"metric"`
	stats.Outline
}

// seriesColumns name the columns of the simulator.
var seriesColumns = [simulator.SeriesColumns]string{
	simulator.SeriesWaiting: "waiting", simulator.SeriesRunning: "running", simulator.SeriesBusy: "busy",
	simulator.SeriesBlocks: "blocks", simulator.SeriesPresent: "present",
	simulator.SeriesArrived: "arrived", simulator.SeriesCompleted: "completed", simulator.SeriesRejected: "rejected",
	simulator.SeriesTimedOut: "timedOut", simulator.SeriesFailed: "failed", simulator.SeriesUnfinished: "unfinished",
	simulator.SeriesPromptTokens: "promptTokens", simulator.SeriesCachedTokens: "cachedTokens",
}

// NewSeries derives series from what a simulation measured; nil where it was not followed.
func NewSeries(o *simulator.Result, pools []simulator.Pool, m *Meta) *Series {
	if o.Series == nil {
		return nil
	}
	from := o.Series
	s := &Series{
		SchemaVersion: SeriesSchemaVersion, EngineVersion: simulator.EngineVersion, Runs: 1,
		UnitNanoseconds: int64(from.Unit), WidthUnits: int64(from.Width / from.Unit), Lasted: whole(from.Lasted, from.Bins),
		Gateway: newSeriesTrack("", 0, &from.Gateway), Pools: []SeriesTrack{}, Distributions: distributionsOf(o),
	}
	endpoint := 0
	for i := range pools {
		p := &pools[i]
		s.Pools = append(s.Pools, newSeriesTrack(p.Name, p.KVBlocks, &from.Pools[i]))
		for _, name := range p.EndpointNames() {
			if from.Replicas == nil {
				s.LeftOut++
				continue
			}
			s.Replicas = append(s.Replicas, newSeriesTrack(name, p.KVBlocks, &from.Replicas[endpoint]))
			endpoint++
		}
	}
	for i, w := range from.Weights {
		a := m.Adaptations[i]
		s.Routers = append(s.Routers, SeriesRouter{Model: a.Router, Law: a.Law, Known: whole(w.Known, from.Bins), Prefix: whole(w.Prefix, from.Bins), Load: whole(w.Load, from.Bins)})
	}
	return s
}

// whole is a column with all of its bins, also where they are 0.
func whole(bins []int64, n int) []int64 {
	if bins == nil {
		return make([]int64, n)
	}
	return bins
}

func newSeriesTrack(name string, blocks int, from *simulator.SeriesTrack) SeriesTrack {
	t := SeriesTrack{
		Name: name, KVBlocks: int64(blocks), Columns: map[string][]int64{},
		PeakWaiting: from.PeakWaiting, PeakRunning: from.PeakRunning, PeakBlocks: from.PeakBlocks,
	}
	for k, bins := range from.Columns {
		if bins != nil {
			t.Columns[seriesColumns[k]] = bins
		}
	}
	return t
}

// seriesLatency is a latency that has distributions.
type seriesLatency struct {
	name, help string
	of         func(*simulator.Cell) *stats.Histogram
}

// seriesLatencies are the histograms that distributions are made of.
var seriesLatencies = []seriesLatency{
	{"ttft", "time to first token", func(c *simulator.Cell) *stats.Histogram { return &c.TTFT }},
	{"tpot", "time per output token", func(c *simulator.Cell) *stats.Histogram { return &c.TPOT }},
	{"itl", "time between two tokens", func(c *simulator.Cell) *stats.Histogram { return &c.ITL }},
	{"e2e", "time to the end of the answer", func(c *simulator.Cell) *stats.Histogram { return &c.E2E }},
	{"queueing", "time from the arrival to the first step that computes something", func(c *simulator.Cell) *stats.Histogram { return &c.Queueing }},
}

// distributionsOf outlines the latencies of each class.
func distributionsOf(o *simulator.Result) []SeriesDistribution {
	all := []SeriesDistribution{}
	for class, name := range o.Labels.Classes {
		for _, latency := range seriesLatencies {
			var h stats.Histogram
			for i := range o.Cells {
				if c := &o.Cells[i]; c.Class == class {
					h.Merge(latency.of(c))
				}
			}
			if h.Count() > 0 {
				all = append(all, SeriesDistribution{name, latency.name, h.Outline(MaxDistributionPoints)})
			}
		}
	}
	sortDistributions(all)
	return all
}

// Width is how long a bin is.
func (s *Series) Width() time.Duration { return time.Duration(s.UnitNanoseconds * s.WidthUnits) }
