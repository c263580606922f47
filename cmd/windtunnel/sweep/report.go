// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"

	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/report/page"
)

// writeSweepReport writes the report of a sweep: a page, or Markdown.
func (o *sweepOptions) writeSweepReport(ctx context.Context, sweep local.Sweep, st *study.Study) error {
	format := cli.ReportFormat(o.report)
	r, err := cli.ReportOf(st, sweep.Label(), format)
	if err != nil {
		return err
	}
	facts := append(archive.PlanFacts(sweep.Plan), page.Fact{Name: "To make the figures again", Value: o.Again("sweep", sweep.Name), Code: true})
	p := &page.Sweep{Report: r, Facts: facts}
	if format == cli.HTML {
		if err := o.addSeries(ctx, sweep, st, p); err != nil {
			return err
		}
	}
	text, err := format.Fitted(p, o.reportMost)
	if err != nil {
		return err
	}
	return cli.WriteReportFile(o.report, text)
}
