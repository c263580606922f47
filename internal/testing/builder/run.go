// SPDX-License-Identifier: Apache-2.0

package builder

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

// RunBuilder makes a SimulationRun.
type RunBuilder struct{ run v1alpha1.SimulationRun }

// MakeRun starts from a small valid scenario with one seed.
func MakeRun(name, namespace string) *RunBuilder {
	b := &RunBuilder{}
	b.run.Name, b.run.Namespace = name, namespace
	b.run.Spec.Scenario = smallScenario()
	return b
}

// Obj returns the object, defaulted. The builder may go on and make another.
func (b *RunBuilder) Obj() *v1alpha1.SimulationRun {
	run := b.run.DeepCopy()
	manifest.Default(run)
	return run
}

// UID sets what an API server would have given it.
func (b *RunBuilder) UID(uid string) *RunBuilder {
	b.run.UID = types.UID(uid)
	return b
}

// Generation sets the number of the spec's edit.
func (b *RunBuilder) Generation(n int64) *RunBuilder {
	b.run.Generation = n
	return b
}

// Label adds a label.
func (b *RunBuilder) Label(key, value string) *RunBuilder {
	metav1.SetMetaDataLabel(&b.run.ObjectMeta, key, value)
	return b
}

// Scenario edits the scenario in place.
func (b *RunBuilder) Scenario(edits ...ScenarioEdit) *RunBuilder {
	for _, edit := range edits {
		edit(&b.run.Spec.Scenario)
	}
	return b
}

// Seeds lists the seeds.
func (b *RunBuilder) Seeds(seeds ...int64) *RunBuilder {
	b.run.Spec.Replications = v1alpha1.Replications{Seeds: seeds}
	return b
}

// Shards sets the number of pods.
func (b *RunBuilder) Shards(n int32) *RunBuilder {
	b.run.Spec.Execution.Shards = n
	return b
}

// Suspend holds the work.
func (b *RunBuilder) Suspend(suspend bool) *RunBuilder {
	b.run.Spec.Execution.Suspend = suspend
	return b
}

// Condition adds or replaces a condition of the status.
func (b *RunBuilder) Condition(c metav1.Condition) *RunBuilder {
	b.run.Status.Conditions = withCondition(b.run.Status.Conditions, c)
	return b
}
