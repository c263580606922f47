// SPDX-License-Identifier: Apache-2.0

package builder

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// common are the methods of builders of both kinds, which return the builder B. It points into the
// object that B makes.
type common[B any] struct {
	self         B
	meta         *metav1.ObjectMeta
	scenario     *v1alpha1.Scenario
	replications *v1alpha1.Replications
	execution    *v1alpha1.Execution
	conditions   *[]metav1.Condition
}

// UID sets what an API server would have given it.
func (c *common[B]) UID(uid string) B {
	c.meta.UID = types.UID(uid)
	return c.self
}

// Generation sets the number of the spec's edit.
func (c *common[B]) Generation(n int64) B {
	c.meta.Generation = n
	return c.self
}

// Label adds a label.
func (c *common[B]) Label(key, value string) B {
	metav1.SetMetaDataLabel(c.meta, key, value)
	return c.self
}

// Scenario edits the scenario in place.
func (c *common[B]) Scenario(edits ...ScenarioEdit) B {
	for _, edit := range edits {
		edit(c.scenario)
	}
	return c.self
}

// Seeds lists the seeds.
func (c *common[B]) Seeds(seeds ...int64) B {
	*c.replications = v1alpha1.Replications{Seeds: seeds}
	return c.self
}

// Shards sets the number of pods.
func (c *common[B]) Shards(n int32) B {
	c.execution.Shards = n
	return c.self
}

// Suspend holds the work.
func (c *common[B]) Suspend(suspend bool) B {
	c.execution.Suspend = suspend
	return c.self
}

// Condition adds or replaces a condition of the status.
func (c *common[B]) Condition(condition metav1.Condition) B {
	for i := range *c.conditions {
		if at := &(*c.conditions)[i]; at.Type == condition.Type {
			*at = condition
			return c.self
		}
	}
	*c.conditions = append(*c.conditions, condition)
	return c.self
}
