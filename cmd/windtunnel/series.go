// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"io"

	"windtunnel.dev/windtunnel/pkg/experiment/store"
	"windtunnel.dev/windtunnel/pkg/result"
)

// bins is how many bins time series have at most, which --series and pages need, and which
// benchmark reports have where the spec asks for series.
func (o *runOptions) bins(run compiledRun) int {
	switch {
	case run.Plan.Series > 0 && (o.series != "" || o.output == outputBenchmark || reportFormat(o.report) == outputHTML):
		return run.Plan.Series
	case o.series == "" && reportFormat(o.report) != outputHTML:
		return 0
	default:
		return result.MaxSeriesBins
	}
}

// writeSeries writes what one draws of series.
func writeSeries(name string, s *result.Series) error {
	return writeWhole(name, func(w io.Writer) error {
		out := json.NewEncoder(w)
		return out.Encode(s.Lines())
	})
}

// writeSeries writes the series that the chunks have.
func (s *resultSet) writeSeries(name string) error {
	series, err := store.ReadSeries(s.chunks)
	switch {
	case err != nil:
		return err
	case series == nil:
		return badInput(errors.New("--series: the results have no time series; only a SimulationRun with spec.trace.series keeps some"))
	}
	return writeSeries(name, series)
}
