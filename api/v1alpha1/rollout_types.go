// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Promotion says in which format the operator writes out a configuration, and when.
//
// +structType=atomic
type Promotion struct {
	// format is the format of the EPP configuration. Source keeps the given text and
	// changes only the lines that must change. Document is the EndpointPickerConfig
	// alone. ConfigMap and HelmValues wrap that document. Manifests of scalers always
	// keep the given text.
	// +optional
	// +kubebuilder:default=Source
	Format PromotionFormat `json:"format,omitempty"`
	// when is the time of writing: Passed, after all gates pass, or Complete, for
	// any verdict of the gates.
	// +optional
	// +kubebuilder:default=Passed
	When PromotionTime `json:"when,omitempty"`
}

// PromotionFormat is the format of a configuration that is written out.
// +kubebuilder:validation:Enum=Source;Document;ConfigMap;HelmValues
type PromotionFormat string

const (
	// SourceFormat is the one in which the configuration was given.
	SourceFormat PromotionFormat = "Source"
	// DocumentFormat is a bare EndpointPickerConfig.
	DocumentFormat PromotionFormat = "Document"
	// ConfigMapFormat is a ConfigMap that holds one.
	ConfigMapFormat PromotionFormat = "ConfigMap"
	// HelmValuesFormat is the values of llm-d's router chart that hold one.
	HelmValuesFormat PromotionFormat = "HelmValues"
)

// PromotionTime says when a configuration is written out.
// +kubebuilder:validation:Enum=Passed;Complete
type PromotionTime string

const (
	// PromoteWhenPassed requires all gates to pass. A sweep without gates then
	// promotes nothing.
	PromoteWhenPassed PromotionTime = "Passed"
	// PromoteWhenComplete does not depend on gates.
	PromoteWhenComplete PromotionTime = "Complete"
)

// Follow selects points to simulate once more, with traces.
type Follow struct {
	// best is the number of best points that become SimulationRuns. The sweep owns
	// these runs, and they keep full traces.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	Best int32 `json:"best,omitempty"`
}
