// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"fmt"
	"time"
)

// SeriesConfig asks for time series of a run.
type SeriesConfig struct {
	// Bins is how many bins of time there are at most; 0 asks for no series. A run that
	// lasts for at least Bins times Width ends with more than half as many.
	Bins int
	// Width is that of the bins of a short run, a multiple of Unit, which is what integrals
	// count time in.
	Width, Unit time.Duration
}

// MaxSeriesReplicas is up to how many replicas each has series of its own.
const MaxSeriesReplicas = 64

// SeriesColumn is a quantity that is followed through time.
type SeriesColumn int

// The columns. The first ones are integrals over time: a bin has the sum of value·unit over
// its time, and so the mean times the width. The others are counts: a bin has how many
// happened in it.
const (
	// SeriesWaiting integrates the requests in the wait queue, those whose KV is on its way
	// included; of the gateway, those that the router keeps back and the admission delays.
	SeriesWaiting SeriesColumn = iota
	// SeriesRunning integrates the requests in the batch.
	SeriesRunning
	// SeriesBusy integrates 1 while a step is under way.
	SeriesBusy
	// SeriesBlocks integrates the KV blocks in use.
	SeriesBlocks
	// SeriesPresent integrates 1 while the replica is there.
	SeriesPresent
	// SeriesArrived counts requests by their arrival, and SeriesCompleted to SeriesUnfinished
	// by their end at the gateway, at the replica that had them last; of the gateway, those
	// that no replica accepted.
	SeriesArrived
	SeriesCompleted
	SeriesRejected
	SeriesTimedOut
	SeriesFailed
	SeriesUnfinished
	// SeriesPromptTokens counts the prompt tokens of requests when a replica first computes
	// something of them, SeriesCachedTokens those that its prefix cache gives then.
	SeriesPromptTokens
	SeriesCachedTokens

	// SeriesColumns is how many there are.
	SeriesColumns
)

// SeriesTrack has the series of a replica, of a pool, or of the gateway.
//
// A column is nil where all of its bins are 0, and has Series.Bins of them elsewhere.
type SeriesTrack struct {
	Columns [SeriesColumns][]int64
	// The peaks are the greatest values of the columns that stood for some time: of a pool,
	// at one replica.
	PeakWaiting, PeakRunning, PeakBlocks int64
}

// SeriesWeights has the weights of a router whose weights change: Known integrates 1 in the
// epochs that ended, Prefix and Load a thousand times the weights.
type SeriesWeights struct{ Known, Prefix, Load []int64 }

// Series are time series of a whole run, the warm-up and the drain included. Bin i begins
// at i·Width, and the last one has the end of the run. An integral is cut down to whole
// units at the ends of bins, so that wider bins have the sums of narrower ones.
type Series struct {
	Unit, Width time.Duration
	Bins        int
	// Lasted integrates 1 up to the end of the run.
	Lasted []int64
	// Gateway has the requests that no replica accepted. Pools are in the order of
	// Result.Pools. Replicas are numbered as endpoints; there are none where the run has
	// more than MaxSeriesReplicas places for some.
	Gateway         SeriesTrack
	Pools, Replicas []SeriesTrack
	// Weights are in the order of Policies.Adaptations.
	Weights []SeriesWeights
}

func (c *SeriesConfig) check() {
	if c.Bins < 0 || c.Bins == 1 || c.Bins > 0 && (c.Unit < 1 || c.Width < 1 || c.Width%c.Unit != 0) {
		panic(fmt.Sprintf("simulator: series in at most %d bins of at least %v, in units of %v", c.Bins, c.Width, c.Unit))
	}
}
