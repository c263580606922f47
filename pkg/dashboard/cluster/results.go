// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/dashboard"
	"windtunnel.dev/windtunnel/pkg/experiment/advice"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/report/page"
	"windtunnel.dev/windtunnel/pkg/result"
)

// compileTimeout bounds how long a sweep's parameters are looked for. What people write takes less
// than a second.
const compileTimeout = 10 * time.Second

// Results implements [dashboard.Source].
func (s *Source) Results(ctx context.Context, of *dashboard.Object) (*dashboard.Results, error) {
	object, err := s.get(ctx, of.Key)
	if err != nil {
		return nil, err
	}
	stored, err := archive.Read(ctx, s.ConfigMaps, of.Resource.Kind(), object, of.Status.Results)
	if err != nil {
		return nil, err
	}
	r := &dashboard.Results{Rows: stored.Rows, Decisions: stored.Decisions()}
	switch object := object.(type) {
	case *v1alpha1.SimulationRun:
		runResults(r, object, stored)
	case *v1alpha1.PolicySweep:
		s.sweepResults(ctx, r, object, stored)
	}
	return r, nil
}

func runResults(r *dashboard.Results, run *v1alpha1.SimulationRun, stored *archive.Stored) {
	r.RunReport = func() (*page.Run, error) { return archive.RunReport(run, stored) }
	var gates []v1alpha1.Gate
	for _, g := range run.Spec.Gates {
		gates = append(gates, g.Gate())
	}
	r.Deciding = deciding(run.Spec.Metrics, gates, nil, run.Status.Gates)
	r.Run = func(int) (*v1alpha1.SimulationRun, error) {
		return &v1alpha1.SimulationRun{ObjectMeta: metav1.ObjectMeta{Name: run.Name, Namespace: run.Namespace}, Spec: run.Spec}, nil
	}
}

// sweepResults adds what the spec says of the rows. It compiles only what the manager has compiled
// before: the spec of a status that describes it.
func (s *Source) sweepResults(ctx context.Context, r *dashboard.Results, sweep *v1alpha1.PolicySweep, stored *archive.Stored) {
	r.Deciding = deciding(sweep.Spec.Metrics, sweep.Spec.Gates, sweep.Spec.Objectives, sweep.Status.Gates)
	if sweep.Status.ObservedGeneration != sweep.Generation {
		r.ReportFault = archive.NewFault(errors.New("the results are those of another spec: " + kubectl.NotSeen))
		return
	}
	ctx, cancel := context.WithTimeout(ctx, compileTimeout)
	defer cancel()
	_, st, err := archive.Study(ctx, sweep, archive.ClusterInputs{ConfigMaps: s.ConfigMaps, Namespace: sweep.Namespace}, stored)
	if err != nil {
		r.ReportFault = err
		return
	}
	r.Parameters = map[int][]result.Assignment{}
	for _, p := range st.Points() {
		r.Parameters[p.ID] = p.Assignments()
	}
	r.Run = func(point int) (*v1alpha1.SimulationRun, error) {
		spec, err := advice.FollowUpRun(st, &sweep.Spec, point)
		name := fmt.Sprintf("%s-point-%d", sweep.Name, point)
		return &v1alpha1.SimulationRun{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: sweep.Namespace}, Spec: spec}, err
	}
	report, err := archive.Report(st, fmt.Sprintf("%s %s/%s", v1alpha1.PolicySweepKind, sweep.Namespace, sweep.Name), 0)
	if errors.Is(err, archive.ErrNoPoint) {
		err = archive.NewFault(err)
	}
	if err != nil {
		r.ReportFault = err
		return
	}
	r.Report = &page.Sweep{Report: report, Facts: archive.PlanFacts(st.Plan), WithoutSeries: archive.WithoutSeries}
}

// deciding are the metrics of gates, those that do not pass first, and of objectives.
func deciding(derived []v1alpha1.DerivedMetric, gates []v1alpha1.Gate, objectives []v1alpha1.Objective, verdicts []v1alpha1.GateStatus) []result.Measure {
	var in []result.Derived
	for _, m := range derived {
		in = append(in, result.Derived{Name: m.Name, Expression: m.Expression})
	}
	measures, errs := result.NewMeasures(in, nil)
	if len(errs) > 0 {
		measures = result.Measures{}
	}
	passes := map[string]bool{}
	for _, v := range verdicts {
		passes[v.Name] = v.Verdict == v1alpha1.GatePass
	}
	var list []result.Measure
	add := func(metric string) {
		if m, errs := measures.Parse(metric, nil); len(errs) == 0 {
			list = append(list, m)
		}
	}
	for _, pass := range []bool{false, true} {
		for _, g := range gates {
			if passes[g.Name] == pass {
				add(g.Metric)
			}
		}
	}
	for _, o := range objectives {
		add(o.Metric)
	}
	return list
}
