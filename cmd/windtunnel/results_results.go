// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/pkg/experiment/store"
)

// writeSeries writes the series that the chunks have.
func (s *resultSet) writeSeries(name string) error {
	series, err := store.ReadSeries(s.chunks)
	switch {
	case err != nil:
		return err
	case series == nil:
		return cli.BadInput(errors.New("--series: the results have no time series; only a SimulationRun with spec.trace.series keeps some"))
	}
	return cli.WriteSeries(name, series)
}
