// SPDX-License-Identifier: Apache-2.0

package store

import (
	"fmt"

	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
)

// maxSeriesBytes is what the series of one simulation take at most, compressed: next to its
// results in the same ConfigMap, as a result and its series are of one run, and are reused
// together or not at all.
const maxSeriesBytes = 256 << 10

// packSeries packs the series of a simulation, if it has some, into a bounded number of bytes.
func packSeries(s *experiment.Simulation, room int) ([]byte, error) {
	if s.Series == nil {
		return nil, nil
	}
	packed, err := s.Series.Pack(min(room, maxSeriesBytes))
	if err != nil {
		return nil, fmt.Errorf("%w: under seed %d: %w: have fewer classes, or none of spec.trace.series", ErrTooLarge, s.Row.Seed, err)
	}
	return packed, nil
}

// ReadSeries returns the series of all simulations in the chunks together: the same for
// chunks in any order. It returns nil without series.
func ReadSeries(chunks []Chunk) (*result.Series, error) {
	var all []*result.Series
	for _, c := range chunks {
		some, err := result.UnpackSeries(c.Binary[SeriesKey])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", SeriesKey, err)
		}
		all = append(all, some...)
	}
	return result.MergeSeries(all...)
}
