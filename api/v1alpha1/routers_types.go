// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// ModelRouter chooses the replica of each request for one base model.
type ModelRouter struct {
	// model is the base model of the requests. The router chooses among the pools that
	// serve this model.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_./:A-Za-z0-9]*[A-Za-z0-9])?$`
	Model string `json:"model,omitempty"`

	Router `json:",inline"`
}
