// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// Trace is a trace of a workload, wherever the workload states it.
type Trace struct {
	// Name is empty for the one of the field trace.
	Name string
	Path *field.Path
	*v1alpha1.Trace
}

// Traces returns the traces of a workload at a path. They may be changed in place.
func Traces(in *v1alpha1.Workload, path *field.Path) []Trace {
	var all []Trace
	if in.Trace != nil {
		all = append(all, Trace{Path: path.Child("trace"), Trace: in.Trace})
	}
	for i := range in.Traces {
		all = append(all, Trace{Name: in.Traces[i].Name, Path: path.Child("traces").Index(i), Trace: &in.Traces[i].Trace})
	}
	return all
}
