// SPDX-License-Identifier: Apache-2.0

package run

import (
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/result"
)

// bins is how many bins time series have at most, which --series and pages need, and which
// benchmark reports have where the spec asks for series.
func (o *runOptions) bins(run local.Run) int {
	switch {
	case run.Plan.Series > 0 && (o.series != "" || o.Output == cli.BenchmarkReport || cli.ReportFormat(o.report) == cli.HTML):
		return run.Plan.Series
	case o.series == "" && cli.ReportFormat(o.report) != cli.HTML:
		return 0
	default:
		return result.MaxSeriesBins
	}
}
