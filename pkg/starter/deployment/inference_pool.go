// SPDX-License-Identifier: Apache-2.0

package deployment

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// An inferencePool is what one router chooses among.
type inferencePool struct {
	from, name string
	at         *field.Path
	selector   map[string]string
	// pools are the names of those of the scenario.
	pools []string
}

// inferencePool reads an InferencePool of v1, whose selector has matchLabels, or of v1alpha2, whose
// selector are the labels (gateway-api-inference-extension@84436a96).
func (r *reader) inferencePool(d *document) {
	var o struct {
		Spec struct {
			Selector                        map[string]any
			EndpointPickerRef, ExtensionRef struct{ FailureMode string }
		}
	}
	if err := d.decode(&o); err != nil {
		r.fault(err)
		return
	}
	labels, ok := o.Spec.Selector["matchLabels"].(map[string]any)
	if !ok {
		labels = o.Spec.Selector
	}
	pool := inferencePool{from: d.name(), name: d.Metadata.Name, at: d.at(), selector: map[string]string{}}
	for key, value := range labels { // in any order: into a map
		pool.selector[key] = fmt.Sprint(value)
	}
	r.pools = append(r.pools, pool)
	if mode := cmp.Or(o.Spec.EndpointPickerRef.FailureMode, o.Spec.ExtensionRef.FailureMode); mode != "" {
		r.note("%s: failureMode %s says what a gateway does while no EPP answers: in the scenario, one always answers", pool.from, mode)
	}
}

// selectPool keeps the InferencePool that is asked for.
func (r *reader) selectPool() {
	if r.options.Pool == "" {
		return
	}
	var names []string
	for i := range r.pools {
		names = append(names, r.pools[i].name)
		if r.pools[i].name == r.options.Pool {
			r.pools = r.pools[i : i+1]
			return
		}
	}
	r.fault(field.NotSupported(field.NewPath("--pool"), r.options.Pool, names))
}

// poolNames are those of several InferencePools.
func poolNames(pools []inferencePool) string {
	var names []string
	for i := range pools {
		names = append(names, pools[i].name)
	}
	return strings.Join(names, ", ")
}
