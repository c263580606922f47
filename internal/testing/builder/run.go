// SPDX-License-Identifier: Apache-2.0

package builder

import (
	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

// RunBuilder makes a SimulationRun.
type RunBuilder struct {
	common[*RunBuilder]
	run v1alpha1.SimulationRun
}

// MakeRun starts from a small valid scenario with one seed.
func MakeRun(name, namespace string) *RunBuilder {
	b := &RunBuilder{}
	spec := &b.run.Spec
	b.common = common[*RunBuilder]{b, &b.run.ObjectMeta, &spec.Scenario, &spec.Replications, &spec.Execution.Execution, &b.run.Status.Conditions}
	b.run.Name, b.run.Namespace = name, namespace
	spec.Scenario = smallScenario()
	return b
}

// Obj returns the object, defaulted. The builder may go on and make another.
func (b *RunBuilder) Obj() *v1alpha1.SimulationRun {
	run := b.run.DeepCopy()
	manifest.Default(run)
	return run
}
