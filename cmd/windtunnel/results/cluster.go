// SPDX-License-Identifier: Apache-2.0

package results

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cli"
	"windtunnel.dev/windtunnel/cmd/windtunnel/cluster"
	"windtunnel.dev/windtunnel/pkg/archive"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/kube"
	"windtunnel.dev/windtunnel/pkg/kubectl"
	"windtunnel.dev/windtunnel/pkg/report/dataframe"
	"windtunnel.dev/windtunnel/pkg/result"
)

// ReadCluster reads the rows of an object of a cluster.
func ReadCluster(ctx context.Context, c *kube.Client, o kubectl.Object) (*Set, error) {
	if o.Sweep != nil {
		return sweepResults(ctx, c, o.Sweep)
	}
	return runResults(ctx, c, o.Run)
}

// runResults reads the rows of a run.
func runResults(ctx context.Context, c *kube.Client, run *v1alpha1.SimulationRun) (*Set, error) {
	measures, errs := result.NewMeasures(nil, field.NewPath("spec"))
	if len(errs) > 0 {
		return nil, cli.BadInput(errs.ToAggregate())
	}
	set := &Set{measures: measures, Parameters: dataframe.Parameters{}, StepTimes: run.Status.StepTimes}
	_, err := set.read(ctx, c, v1alpha1.SimulationRunKind, run, run.Status.Results)
	return set, err
}

// sweepResults reads the rows of a sweep.
func sweepResults(ctx context.Context, c *kube.Client, sweep *v1alpha1.PolicySweep) (*Set, error) {
	measures, errs := result.NewMeasures(derivedMetrics(sweep.Spec.Metrics), field.NewPath("spec", "metrics"))
	if len(errs) > 0 {
		return nil, cli.BadInput(errs.ToAggregate())
	}
	set := &Set{measures: measures, StepTimes: sweep.Status.StepTimes}
	stored, err := set.read(ctx, c, v1alpha1.PolicySweepKind, sweep, sweep.Status.Results)
	if err != nil {
		return nil, err
	}
	set.describe(ctx, sweep, stored, archive.ClusterInputs{ConfigMaps: cluster.ConfigMaps(c), Namespace: sweep.Namespace})
	return set, nil
}

// read reads what is stored of an object.
func (s *Set) read(ctx context.Context, c *kube.Client, kind string, of metav1.Object, results *v1alpha1.ResultsStatus) (*archive.Stored, error) {
	stored, err := archive.Read(ctx, cluster.ConfigMaps(c), kind, of, results)
	if err != nil {
		return nil, err
	}
	s.Rows, s.chunks = stored.Rows, stored.Chunks
	return stored, nil
}

func derivedMetrics(metrics []v1alpha1.DerivedMetric) []result.Derived {
	var all []result.Derived
	for _, m := range metrics {
		all = append(all, result.Derived{Name: m.Name, Expression: m.Expression})
	}
	return all
}

// describe says of each point what it is. Where the spec is another one by now, or
// this binary is, rows stay without.
func (s *Set) describe(ctx context.Context, sweep *v1alpha1.PolicySweep, stored *archive.Stored, inputs compile.Inputs) {
	s.Parameters = dataframe.Parameters{}
	_, st, _ := archive.Study(ctx, sweep, inputs, stored) // as far as the rows fit
	if st == nil {
		return
	}
	for _, point := range st.Points() {
		s.Parameters[dataframe.PointName{Point: point.ID}] = point.Assignments()
	}
}
