// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/kv/stability"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// What the API calls by name. A path may lead to one field of a controller that
// is not there: then the others have no value.
var (
	stabilityForms = map[v1alpha1.StabilityController]stability.Form{
		"":                              stability.FormQueueing,
		v1alpha1.QueueingController:     stability.FormQueueing,
		v1alpha1.QueueingSeedController: stability.FormQueueingSeed,
	}
	stabilityAdmissions = map[v1alpha1.StabilityAdmission]simulator.StabilityAdmission{
		v1alpha1.AlwaysAdmission: simulator.AdmitAlways,
		v1alpha1.QueueAdmission:  simulator.AdmitOrQueue,
		v1alpha1.RefuseAdmission: simulator.AdmitOrRefuse,
	}
)

// buildStability makes the controller of a pool's replicas; nil if no controller
// watches. The pool's engine settings are in place.
func buildStability(in *v1alpha1.Stability, pool *simulator.Pool, path *field.Path) (*simulator.Stability, field.ErrorList) {
	if in == nil {
		return nil, nil
	}
	chunk := pool.MaxNumBatchedTokens
	if pool.LongPrefillTokens > 0 {
		chunk = min(chunk, pool.LongPrefillTokens)
	}
	config := stability.DefaultConfig()
	config.BlockTokens, config.PromptChunkTokens = pool.BlockTokens, chunk
	if in.Window != "" {
		config.Window = in.Window.Duration()
	}
	if in.Margin != "" {
		config.Margin = in.Margin.Float()
	}
	if in.MarginDeviations != "" {
		config.MarginDeviations = in.MarginDeviations.Float()
	}
	if in.MinEvictionInterval != "" {
		config.MinEvictionInterval = in.MinEvictionInterval.Duration()
	}
	if in.MinCompletions != 0 {
		config.MinCompletions = int(in.MinCompletions)
	}
	return &simulator.Stability{
		Form:      stabilityForms[in.Controller],
		Config:    config,
		Evict:     in.Evict == v1alpha1.Enabled,
		Admission: stabilityAdmissions[in.Admission],
	}, config.Validate(path)
}
