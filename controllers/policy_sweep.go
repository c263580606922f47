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

// sweep is a PolicySweep as the core sees it.
type sweep struct{ *v1alpha1.PolicySweep }

func (s sweep) object() client.Object          { return s.PolicySweep }
func (s sweep) kind() string                   { return v1alpha1.PolicySweepKind }
func (s sweep) execution() v1alpha1.Execution  { return s.Spec.Execution }
func (s sweep) reuseFrom() []string            { return s.Spec.ReuseFrom }
func (s sweep) status() *v1alpha1.CommonStatus { return &s.Status.CommonStatus }
func (s sweep) deepCopied() subject            { return sweep{s.DeepCopy()} }

func (s sweep) configMaps() []string {
	names := scenarioConfigMaps(&s.Spec.Scenario)
	for i := range s.Spec.Parameters {
		p := &s.Spec.Parameters[i]
		for j := range p.Profiles {
			names = append(names, pickerConfigMaps(&p.Profiles[j].EndpointPickerConfig)...)
		}
		for j := range p.Alternatives {
			if r := p.Alternatives[j].Router; r != nil {
				names = append(names, pickerConfigMaps(&r.EndpointPickerConfig)...)
			}
		}
	}
	if p := s.Spec.Proposal; p != nil {
		names = append(names, pickerConfigMaps(&p.EndpointPickerConfig)...)
	}
	return unique(names)
}

func (s sweep) compile(ctx context.Context, in compile.Inputs) (*compile.Compiled, field.ErrorList, error) {
	return compile.Sweep(ctx, s.PolicySweep, in)
}

func (s sweep) clearResults() {
	s.Status.Best, s.Status.Baseline, s.Status.ParetoFront, s.Status.Gates = nil, nil, nil, nil
	s.Status.Lineage, s.Status.Steps = nil, nil
	s.Status.Leaderboard, s.Status.Promoted, s.Status.PromotedSHA256, s.Status.Followed = "", "", "", nil
}

func (s sweep) fill(st *study.Study) error {
	return study.FillSweep(&s.Status, st)
}

// sweeps are the PolicySweeps.
var sweeps = subjects{
	kind:   v1alpha1.PolicySweepKind,
	object: func() client.Object { return &v1alpha1.PolicySweep{} },
	list:   func() client.ObjectList { return &v1alpha1.PolicySweepList{} },
	wrap:   func(o client.Object) subject { return sweep{o.(*v1alpha1.PolicySweep)} },
	// The rows of one may fill many ConfigMaps.
	remembered: 60_000,
}
