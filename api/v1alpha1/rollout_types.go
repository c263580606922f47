// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Promotion says what is written out, and when.
type Promotion struct {
	// format is that of the configuration: Source, as it was given, with only
	// the changed lines changed; Document, the EndpointPickerConfig alone;
	// ConfigMap or HelmValues, that document in such a wrapping.
	// +optional
	// +kubebuilder:default=Source
	Format PromotionFormat `json:"format,omitempty"`
	// when is Passed, once all gates pass, or Complete, whatever they say.
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
	// PromoteWhenPassed waits for all gates to pass. A sweep without gates
	// promotes nothing then.
	PromoteWhenPassed PromotionTime = "Passed"
	// PromoteWhenComplete asks no gate.
	PromoteWhenComplete PromotionTime = "Complete"
)

// Follow says which points are simulated once more.
type Follow struct {
	// best is how many of the best points become SimulationRuns, which belong to
	// the sweep and keep full traces.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=10
	Best int32 `json:"best,omitempty"`
}
