// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// run is a SimulationRun as the core sees it.
type run struct{ *v1alpha1.SimulationRun }

func (r run) object() client.Object          { return r.SimulationRun }
func (r run) kind() string                   { return v1alpha1.SimulationRunKind }
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
	compiled, errs, err := compile.Run(ctx, r.SimulationRun, in)
	if err == nil && len(errs) == 0 {
		err = compile.Live(r.SimulationRun, compiled.Plan)
	}
	return compiled, errs, err
}

// liveSlack is how much longer than its scenario a live run may take to start and to end, where the
// spec has no deadline.
const liveSlack = 10 * time.Minute

// execution is what the spec says, and what follows from a live run: it is bounded, and it is not tried
// again, since the caches of its replicas are warm.
func (r run) execution() v1alpha1.Execution {
	execution := r.Spec.Execution.Execution
	if r.Spec.Execution.Live == nil {
		return execution
	}
	execution.RetriesPerShard = ptr.To[int32](0)
	if execution.ActiveDeadlineSeconds == nil {
		lasts := r.Spec.Scenario.Horizon.Duration.Duration() + liveSlack
		execution.ActiveDeadlineSeconds = ptr.To(int64(lasts.Seconds()))
	}
	return execution
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
