// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// SweepWorkload is a named selection of the sources of the scenario's workload.
type SweepWorkload struct {
	// name identifies the workload in results. Metrics select it, as in
	// goodput{workload=storm}.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`
	// sources are the names of the clients and traces that send requests. The name of
	// workload.trace is trace.
	// +required
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=512
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	Sources []string `json:"sources,omitempty"`
}
