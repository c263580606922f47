// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 defines the custom resources of the API group
// sim.windtunnel.dev: SimulationRun simulates one scenario, PolicySweep compares
// variations of a scenario. It has types, defaults and CEL rules only, and does not
// simulate.
//
// +kubebuilder:object:generate=true
// +groupName=sim.windtunnel.dev
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the API group and version of this package.
var GroupVersion = schema.GroupVersion{Group: "sim.windtunnel.dev", Version: "v1alpha1"}

// The kinds of this package.
const (
	// SimulationRunKind is a simulation of one scenario.
	SimulationRunKind = "SimulationRun"
	// PolicySweepKind is a comparison of variations of a scenario.
	PolicySweepKind = "PolicySweep"
)

// AddToScheme adds the kinds of this package to a scheme.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&SimulationRun{}, &SimulationRunList{},
		&PolicySweep{}, &PolicySweepList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
