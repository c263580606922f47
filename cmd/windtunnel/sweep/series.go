// SPDX-License-Identifier: Apache-2.0

package sweep

import (
	"context"
	"errors"
	"slices"

	"windtunnel.dev/windtunnel/cmd/windtunnel/local"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/experiment/execute"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
	"windtunnel.dev/windtunnel/pkg/report"
	"windtunnel.dev/windtunnel/pkg/report/page"
	"windtunnel.dev/windtunnel/pkg/result"
)

// severalOfWorkload is how a reader has time series of a sweep with several workloads.
const severalOfWorkload = "A sweep with workloads has no time series on its page: windtunnel run --report FILE.html of a SimulationRun with one of the workloads shows them"

// addSeries simulates the baseline and the best point again, and follows them through time: a
// sweep keeps no series.
func (o *sweepOptions) addSeries(ctx context.Context, sweep local.Sweep, st *study.Study, to *page.Sweep) error {
	if len(sweep.Plan.Workloads) > 0 {
		to.WithoutSeries = severalOfWorkload
		return nil
	}
	trials, names := followedTrials(st, to.Report)
	followed, err := execute.SeriesOf(ctx, sweep.Plan, sweep.Traces, trials, execute.Options{
		Parallelism: o.Parallelism, CheckInvariants: o.Check, Series: result.MaxSeriesBins, Fence: o.Fence(),
	})
	if errors.Is(err, execute.ErrWatched) {
		return local.ToTrust(err)
	}
	if err != nil {
		return err
	}
	for i := range followed {
		to.Series = append(to.Series, page.NamedSeries{
			Name: names[i], Series: followed[i].Series, Documents: followed[i].Documents, Targets: advice.Targets(sweep.Spec.Scenario.SLOs),
		})
	}
	return nil
}

// followedTrials are those of the baseline and of the best point, under the seeds of their rows.
func followedTrials(st *study.Study, r *report.Sweep) (trials []experiment.Trial, names []string) {
	add := func(point int, name string) {
		trial := experiment.Trial{Point: st.Points()[point], Share: 1}
		for _, row := range st.Rows() {
			if row.Point == point && row.Share == 1 && !row.Failed() && !slices.Contains(trial.Seeds, row.Seed) {
				trial.Seeds = append(trial.Seeds, row.Seed)
			}
		}
		if len(trial.Seeds) > 0 {
			trials, names = append(trials, trial), append(names, name)
		}
	}
	if base := r.Baseline(); base != nil && base.Point != r.Best {
		add(base.Point, "baseline")
	}
	add(r.Best, r.Called())
	return trials, names
}
