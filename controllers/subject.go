// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/experiment"
	"windtunnel.dev/windtunnel/pkg/experiment/compile"
	"windtunnel.dev/windtunnel/pkg/experiment/study"
)

// subject is an object that is reconciled: what the core needs to know of a
// SimulationRun or a PolicySweep, which differ in how they compile and in what
// they make of their results.
type subject interface {
	object() client.Object
	kind() string
	execution() v1alpha1.Execution
	status() *v1alpha1.CommonStatus
	// configMaps names the ConfigMaps that the spec refers to.
	configMaps() []string
	// reuseFrom names objects whose results serve too.
	reuseFrom() []string
	compile(context.Context, compile.Inputs) (*compile.Compiled, field.ErrorList, error)
	// clearResults removes the figures of results from the status.
	clearResults()
	// fill writes into the status what came of a study that is over.
	fill(*study.Study) error
	deepCopied() subject
}

// subjectName is what an object is known by once it is gone.
type subjectName struct {
	kind string
	types.NamespacedName
}

func nameOf(s subject) subjectName {
	return subjectName{s.kind(), client.ObjectKeyFromObject(s.object())}
}

// ownerReference makes the subject the controller of a child, which a deletion in
// the foreground waits for.
func ownerReference(s subject) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: v1alpha1.GroupVersion.String(),
		Kind:       s.kind(),
		Name:       s.object().GetName(),
		UID:        s.object().GetUID(),
		Controller: ptr.To(true),

		BlockOwnerDeletion: ptr.To(true),
	}
}

// resultReference does so for what a worker makes. Nothing waits for that: a worker
// has no rights on its owner, and so may not block its deletion.
func resultReference(s subject) metav1.OwnerReference {
	reference := ownerReference(s)
	reference.BlockOwnerDeletion = nil
	return reference
}

// ownedBy reports whether the subject controls an object.
func ownedBy(child metav1.Object, s subject) bool {
	owner := metav1.GetControllerOf(child)
	return owner != nil && owner.UID == s.object().GetUID()
}

// scenarioConfigMaps names the ConfigMaps that a scenario refers to.
func scenarioConfigMaps(s *v1alpha1.Scenario) []string {
	names := pickerConfigMaps(&s.Router.EndpointPickerConfig)
	for i := range s.Routers {
		names = append(names, pickerConfigMaps(&s.Routers[i].EndpointPickerConfig)...)
	}
	for _, ref := range experiment.TraceConfigMaps(&s.Workload) {
		names = append(names, ref.Name)
	}
	for i := range s.Catalogue {
		if c := &s.Catalogue[i]; c.ConfigMapRef != nil {
			names = append(names, c.ConfigMapRef.Name)
		}
	}
	for i := range s.Pools {
		if t := s.Pools[i].Latency.Table; t != nil && t.ConfigMapRef != nil {
			names = append(names, t.ConfigMapRef.Name)
		}
	}
	for _, m := range experiment.Manifests(s) {
		if m.ConfigMapRef != nil {
			names = append(names, m.ConfigMapRef.Name)
		}
	}
	return names
}

func pickerConfigMaps(c *v1alpha1.EndpointPickerConfig) []string {
	if c.ConfigMapRef == nil {
		return nil
	}
	return []string{c.ConfigMapRef.Name}
}

// unique sorts names and drops repetitions.
func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
