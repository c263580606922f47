// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// run is a SimulationRun as the core sees it.
type run struct{ *v1alpha1.SimulationRun }

func (r run) object() client.Object          { return r.SimulationRun }
func (r run) kind() string                   { return v1alpha1.SimulationRunKind }
func (r run) execution() v1alpha1.Execution  { return r.Spec.Execution }
func (r run) reuseFrom() []string            { return r.Spec.ReuseFrom }
func (r run) status() *v1alpha1.CommonStatus { return &r.Status.CommonStatus }
func (r run) deepCopied() subject            { return run{r.DeepCopy()} }
func (r run) clearResults()                  { r.Status.Metrics, r.Status.Gates = nil, nil }

func (r run) configMaps() []string {
	names := scenarioConfigMaps(&r.Spec.Scenario)
	if t := r.Spec.Trace.Thresholds; t != nil && t.ConfigMapRef != nil {
		names = append(names, t.ConfigMapRef.Name)
	}
	return unique(names)
}

func (r run) compile(ctx context.Context, in compile.Inputs) (*compile.Compiled, field.ErrorList, error) {
	return compile.Run(ctx, r.SimulationRun, in)
}

func (r run) fill(st *study.Study) error {
	return study.FillRun(&r.Status, st)
}

// runs are the SimulationRuns.
var runs = subjects{
	kind:   v1alpha1.SimulationRunKind,
	object: func() client.Object { return &v1alpha1.SimulationRun{} },
	list:   func() client.ObjectList { return &v1alpha1.SimulationRunList{} },
	wrap:   func(o client.Object) subject { return run{o.(*v1alpha1.SimulationRun)} },
	// What a run has is read again with a request or two.
	remembered: 2_000,
}
