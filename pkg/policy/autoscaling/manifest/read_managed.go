// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/wva"
)

// The annotations by which llm-d's workload-variant-autoscaler finds an autoscaler that follows it
// (commit 2976e4ee, internal/annotations), in place of a VariantAutoscaling.
const (
	managedAnnotation = "llm-d.ai/managed"
	modelAnnotation   = "llm-d.ai/model-id"
	costAnnotation    = "llm-d.ai/variant-cost"
)

// managed is what the annotations say to the analyser.
type managed struct{ cost float64 }

// readManaged reads the annotations, and keeps them in the document where they give the object to
// the analyser. The controller ignores an object whose annotations have faults.
func (m *Manifest) readManaged(t tree, path *field.Path) field.ErrorList {
	annotations, _ := part(t, "metadata")["annotations"].(tree)
	at := path.Child("metadata", "annotations")
	value, isText := annotations[managedAnnotation].(string)
	if annotations[managedAnnotation] != nil && !isText {
		return field.ErrorList{field.Invalid(at.Key(managedAnnotation), plain(annotations[managedAnnotation]), `must be a string: write "true"`)}
	}
	if value != "true" {
		return nil
	}
	kept := tree{}
	for _, name := range []string{managedAnnotation, modelAnnotation, costAnnotation} {
		if value := annotations[name]; value != nil {
			kept[name] = value
		}
	}
	m.document["metadata"] = tree{"annotations": kept}
	m.managed = &managed{wva.DefaultCost}
	if model, _ := kept[modelAnnotation].(string); model == "" {
		return field.ErrorList{field.Required(at.Key(modelAnnotation), "without it the workload-variant-autoscaler ignores the object, and its metric has no value")}
	}
	if cost := kept[costAnnotation]; cost != nil && cost != "" {
		text, _ := cost.(string)
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0) {
			return field.ErrorList{field.Invalid(at.Key(costAnnotation), plain(cost), "must be a number of at least 0 in quotes: with any other the workload-variant-autoscaler ignores the object")}
		}
		m.managed.cost = x
	}
	return nil
}

// IsManaged reports whether annotations give the object to a workload-variant-autoscaler.
func (m *Manifest) IsManaged() bool { return m.managed != nil }

// costs are the variants with the cost that the annotation says.
func (m *managed) costs(variants []Variant) []Variant {
	own := slices.Clone(variants)
	for i := range own {
		own[i].Cost = m.cost
	}
	return own
}
