// SPDX-License-Identifier: Apache-2.0

package builder

import (
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/manifest"
)

// SweepBuilder makes a PolicySweep.
type SweepBuilder struct {
	common[*SweepBuilder]
	sweep v1alpha1.PolicySweep
}

// MakeSweep starts from a small valid scenario, goodput as the objective, one
// seed, and no parameter: add at least one by Grid, Values or Profile.
func MakeSweep(name, namespace string) *SweepBuilder {
	b := &SweepBuilder{}
	spec := &b.sweep.Spec
	b.common = common[*SweepBuilder]{b, &b.sweep.ObjectMeta, &spec.Scenario, &spec.Replications, &spec.Execution, &b.sweep.Status.Conditions}
	b.sweep.Name, b.sweep.Namespace = name, namespace
	spec.Scenario = smallScenario()
	spec.Objectives = []v1alpha1.Objective{{Metric: "goodput", Direction: v1alpha1.Maximize}}
	return b
}

// Obj returns the object, defaulted. The builder may go on and make another.
func (b *SweepBuilder) Obj() *v1alpha1.PolicySweep {
	sweep := b.sweep.DeepCopy()
	manifest.Default(sweep)
	return sweep
}

// Grid adds a parameter over a range with a step, all decimals.
func (b *SweepBuilder) Grid(name, path, low, high, step string) *SweepBuilder {
	return b.parameter(v1alpha1.Parameter{Name: name, Path: path, Range: &v1alpha1.Range{
		Min:  v1alpha1.Decimal(low),
		Max:  v1alpha1.Decimal(high),
		Step: v1alpha1.PositiveDecimal(step),
	}})
}

// Values adds a parameter with listed values.
func (b *SweepBuilder) Values(name, path string, values ...string) *SweepBuilder {
	return b.parameter(v1alpha1.Parameter{Name: name, Path: path, Values: values})
}

// Profile adds an EPP configuration to the parameter "profile", which it makes
// when there is none.
func (b *SweepBuilder) Profile(name, inline string) *SweepBuilder {
	profile := v1alpha1.Profile{
		Name:                 name,
		EndpointPickerConfig: v1alpha1.EndpointPickerConfig{Inline: ptr.To(inline)},
	}
	for i := range b.sweep.Spec.Parameters {
		if p := &b.sweep.Spec.Parameters[i]; p.Name == "profile" {
			p.Profiles = append(p.Profiles, profile)
			return b
		}
	}
	return b.parameter(v1alpha1.Parameter{
		Name:     "profile",
		Path:     "router.endpointPickerConfig",
		Profiles: []v1alpha1.Profile{profile},
	})
}

// Alternative adds a router to the parameter "router", which it makes when there is none.
func (b *SweepBuilder) Alternative(name string, router v1alpha1.Router) *SweepBuilder {
	alternative := v1alpha1.Alternative{Name: name, Router: &router}
	for i := range b.sweep.Spec.Parameters {
		if p := &b.sweep.Spec.Parameters[i]; p.Name == "router" {
			p.Alternatives = append(p.Alternatives, alternative)
			return b
		}
	}
	return b.parameter(v1alpha1.Parameter{Name: "router", Path: "router", Alternatives: []v1alpha1.Alternative{alternative}})
}

func (b *SweepBuilder) parameter(p v1alpha1.Parameter) *SweepBuilder {
	b.sweep.Spec.Parameters = append(b.sweep.Spec.Parameters, p)
	return b
}

// Random draws points instead of trying all.
func (b *SweepBuilder) Random(trials int32, seed int64) *SweepBuilder {
	b.sweep.Spec.Search = v1alpha1.Search{Algorithm: v1alpha1.RandomSearch, MaxTrials: trials, Seed: seed}
	return b
}

// MaxTrials bounds the number of points.
func (b *SweepBuilder) MaxTrials(n int32) *SweepBuilder {
	b.sweep.Spec.Search.MaxTrials = n
	return b
}

// Objective adds an objective after those that are there.
func (b *SweepBuilder) Objective(metric string, direction v1alpha1.Direction) *SweepBuilder {
	b.sweep.Spec.Objectives = append(b.sweep.Spec.Objectives, v1alpha1.Objective{Metric: metric, Direction: direction})
	return b
}

// Baseline gives a parameter its value in the baseline. Every parameter of the
// sweep needs one.
func (b *SweepBuilder) Baseline(name, value string) *SweepBuilder {
	if b.sweep.Spec.Baseline == nil {
		b.sweep.Spec.Baseline = &v1alpha1.Baseline{}
	}
	b.sweep.Spec.Baseline.Parameters = append(b.sweep.Spec.Baseline.Parameters, v1alpha1.Assignment{Name: name, Value: value})
	return b
}
