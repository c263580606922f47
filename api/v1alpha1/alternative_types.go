// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Alternative is a named part of the scenario, to try in place of the scenario's own.
//
// +kubebuilder:validation:ExactlyOneOf=router;admission;engine
type Alternative struct {
	// name identifies the alternative in results.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`
	Name string `json:"name,omitempty"`
	// router is the whole router: an EPP configuration or native policies, and all
	// other fields. A field that is not set has its default, whatever the scenario's
	// router says. `kubectl explain simulationrun.spec.scenario.router` describes them.
	// +optional
	Router *Router `json:"router,omitempty"`
	// admission is the whole admission before a router. The policy always admits every
	// request, as no admission does. `kubectl explain
	// simulationrun.spec.scenario.router.admission` describes its fields.
	// +optional
	Admission *GatewayPolicy `json:"admission,omitempty"`
	// engine is the whole engine of a pool: its scheduler and all other fields. A field
	// that is not set has its default, whatever the scenario's pool says. `kubectl
	// explain simulationrun.spec.scenario.pools.engine` describes them.
	// +optional
	Engine *Engine `json:"engine,omitempty"`
}
