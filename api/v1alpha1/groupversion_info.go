// SPDX-License-Identifier: Apache-2.0

// Package v1alpha1 holds the custom resources of the group
// sim.windtunnel.dev: SimulationRun simulates one scenario, PolicySweep
// compares many variations of one. The package declares types, defaults and
// CEL rules only; it knows nothing of the simulator.
//
// +kubebuilder:object:generate=true
// +groupName=sim.windtunnel.dev
package v1alpha1

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/scheme"
)

var (
	// GroupVersion is the API group and version of this package.
	GroupVersion = schema.GroupVersion{Group: "sim.windtunnel.dev", Version: "v1alpha1"}

	// SchemeBuilder registers the kinds of this package.
	SchemeBuilder = &scheme.Builder{GroupVersion: GroupVersion}

	// AddToScheme adds the kinds of this package to a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)
