// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// TestSiblingsShareTheirTexts: what the cache holds says the same as before, and
// texts of siblings are held once.
func TestSiblingsShareTheirTexts(t *testing.T) {
	child := func() *metav1.PartialObjectMetadata {
		cm := configMapMetadata()
		cm.Namespace, cm.Name = strings.Clone("team-a"), "chunk"
		cm.Labels = map[string]string{strings.Clone(LabelKind): strings.Clone("SimulationRun")}
		cm.Annotations = map[string]string{"large": "text"}
		cm.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: strings.Clone("sim.windtunnel.dev/v1alpha1"), Kind: "SimulationRun",
			Name: strings.Clone("mine"), UID: "0123", Controller: ptr.To(true),
		}}
		cm.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "someone"}}
		return cm
	}
	var held []*metav1.PartialObjectMetadata
	for range 2 {
		out, err := stripConfigMap(child())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, out.(*metav1.PartialObjectMetadata))
	}
	want := child()
	want.Annotations, want.ManagedFields = nil, nil
	if diff := cmp.Diff(want, held[0]); diff != "" {
		t.Errorf("what is held, -want +got:\n%s", diff)
	}
	a, b := held[0], held[1]
	for _, pair := range [][2]string{
		{a.Namespace, b.Namespace},
		{a.Labels[LabelKind], b.Labels[LabelKind]},
		{a.OwnerReferences[0].Name, b.OwnerReferences[0].Name},
	} {
		if unsafe.StringData(pair[0]) != unsafe.StringData(pair[1]) {
			t.Errorf("%q is held twice", pair[0])
		}
	}
}
