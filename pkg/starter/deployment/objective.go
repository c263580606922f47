// SPDX-License-Identifier: Apache-2.0

package deployment

// criticalities are those of InferenceModels of gateway-api-inference-extension up to v0.5, with the
// priority that an InferenceObjective has in their place: below 0 the EPP sheds.
var criticalities = map[string]int32{"Critical": 1, "Standard": 0, "": 0, "Sheddable": -1}

// objective reads an InferenceObjective, or the InferenceModel that came before it.
func (r *reader) objective(d *document) {
	var o struct {
		Spec struct {
			Priority     *int32
			Criticality  string
			TargetModels []any
			PoolRef      struct{ Name string }
		}
	}
	if err := d.decode(&o); err != nil {
		r.fault(err)
		return
	}
	if r.options.Pool != "" && o.Spec.PoolRef.Name != r.options.Pool {
		return
	}
	objective := Objective{Name: d.Metadata.Name, Priority: or(o.Spec.Priority, criticalities[o.Spec.Criticality])}
	if o.Spec.Criticality != "" {
		r.note("%s: criticality %s is priority %d", d.name(), o.Spec.Criticality, objective.Priority)
	}
	if len(o.Spec.TargetModels) > 1 {
		r.note("%s divides requests among %d models, which the scenario does not", d.name(), len(o.Spec.TargetModels))
	}
	r.cluster.Objectives = append(r.cluster.Objectives, objective)
}
