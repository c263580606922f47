// SPDX-License-Identifier: Apache-2.0

package study

import (
	"cmp"
	"fmt"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/clip"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/result"
	"windtunnel.dev/windtunnel/pkg/stats"
)

// Bounds of a status: the points of its Pareto front, the bytes of a candidate's
// summary.
const (
	maxFront   = 16
	maxSummary = 512
)

// runMetrics are what a run's status shows.
var runMetrics = []string{
	"ttft.mean", "ttft.p50", "ttft.p99", "tpot.mean", "tpot.p99", "e2e.mean", "e2e.p99",
	"goodput", "throughput.requests", "throughput.outputTokens", "cacheHit.gpu", "completionRate",
}

// FillStatus fills in what a plan says of itself.
func FillStatus(status *v1alpha1.CommonStatus, p *experiment.Plan) {
	status.EngineVersion = p.EngineVersion
	status.PlanHash = p.Hash()
	status.Inputs = p.Inputs
	status.Warnings = p.Remarks()
	status.Approximations = p.Approximations
	status.StepTimes = p.StepTimes
}

// FillProgress fills in how far a study is.
func FillProgress(status *v1alpha1.CommonStatus, s *Study) {
	if status.Progress == nil {
		status.Progress = &v1alpha1.ProgressStatus{}
	}
	status.Progress.Total = int64(s.Simulations())
	status.Progress.Completed, status.Progress.Failed = 0, 0
	for _, row := range s.Rows() {
		if row.Lost {
			continue
		}
		status.Progress.Completed++
		if row.Failed() {
			status.Progress.Failed++
		}
	}
	status.Progress.Round = 0
	if round := s.Round(); round != nil {
		status.Progress.Round = int32(round.Index) + 1
	}
}

// FillRun fills in what came of a run whose study is over.
func FillRun(status *v1alpha1.SimulationRunStatus, s *Study) error {
	summaries, err := result.Summarize(s.Rows())
	if err != nil {
		return err
	}
	verdict, err := s.Verdict()
	if err != nil {
		return err
	}
	FillVerdict(&status.CommonStatus, verdict)
	FillProgress(&status.CommonStatus, s)
	status.Metrics = nil
	if len(summaries) == 0 {
		return nil
	}
	for _, name := range runMetrics {
		if value, ok := summaries[0].Metrics[name]; ok {
			status.Metrics = append(status.Metrics, metricValue(name, value))
		}
	}
	return nil
}

// FillSweep fills in what came of a sweep whose study is over.
func FillSweep(status *v1alpha1.PolicySweepStatus, s *Study) error {
	board, err := s.Top(maxFront)
	if err != nil {
		return err
	}
	verdict, err := s.Verdict()
	if err != nil {
		return err
	}
	FillVerdict(&status.CommonStatus, verdict)
	FillSteps(status, verdict)
	FillProgress(&status.CommonStatus, s)
	status.Best, status.Baseline, status.ParetoFront, status.Lineage = nil, nil, nil, nil
	for i := range board.Candidates {
		ranked := &board.Candidates[i]
		c := s.candidate(ranked)
		if i == 0 && ranked.Complete() {
			status.Best = &c
			if status.Lineage, err = s.lineage(ranked.Point); err != nil {
				return err
			}
		}
		if ranked.Point == s.BaselinePoint() {
			status.Baseline = &c
		}
		if ranked.Pareto && len(status.ParetoFront) < maxFront {
			status.ParetoFront = append(status.ParetoFront, c)
		}
	}
	return nil
}

func (s *Study) candidate(ranked *result.Ranked) v1alpha1.PointStatus {
	point := s.Points()[ranked.Point]
	c := v1alpha1.PointStatus{Point: int64(point.ID), Parameters: point.Existing(), Summary: clip.Text(cmp.Or(summaryOf(point, ranked), result.OnlyPoint), maxSummary)}
	for _, o := range s.Plan.Objectives {
		if value, ok := ranked.Metrics[o.Metric]; ok {
			c.Objectives = append(c.Objectives, metricValue(o.Metric, value))
		}
	}
	return c
}

func metricValue(name string, in stats.Interval) v1alpha1.MetricValue {
	out := v1alpha1.MetricValue{Metric: name, Mean: experiment.Figure(in.Mean)}
	if in.N > 1 {
		out.Low, out.High = experiment.Figure(in.Low), experiment.Figure(in.High)
	}
	return out
}

// summaryOf names a point by its values, and by the generation that made its policy, if a search did.
func summaryOf(point experiment.Point, ranked *result.Ranked) string {
	text := point.String()
	if from := ranked.Origin; from != nil && from.Parent != "" {
		text += fmt.Sprintf(" of generation %d", from.Generation)
	}
	return text
}
