// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// ModelRouter chooses the replica of each request for one base model. Its other fields are
// those of router. Where a base model has several routers, the route says which of them a
// request goes to.
type ModelRouter struct {
	// model is the base model of the requests. The router chooses among the pools that
	// serve this model.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_./:A-Za-z0-9]*[A-Za-z0-9])?$`
	Model string `json:"model,omitempty"`
	// name is how the route and paths name the router. Routers of one model have names.
	// Without a name, the model names the router.
	// +optional
	// +kubebuilder:default=""
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$`
	Name string `json:"name,omitempty"`
	// pools are the pools among which the router chooses, which are next to each other in
	// the scenario's pools. They are derived: the pools of the model that no other router
	// names.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=63
	Pools []string `json:"pools,omitempty"`
	// inferencePool is the InferencePool of the router's pools, as manifests of the route
	// name it. It is derived: the name of the router.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	InferencePool string `json:"inferencePool,omitempty"`

	Router `json:",inline"`
}

// Key names the router among those of a scenario.
func (r *ModelRouter) Key() string {
	if r.Name != "" {
		return r.Name
	}
	return r.Model
}

// PoolName is the name of the InferencePool of the router's pools.
func (r *ModelRouter) PoolName() string {
	if r.InferencePool != "" {
		return r.InferencePool
	}
	return r.Key()
}
