// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// AnomalyThresholds say from when on something that went wrong is an anomaly.
// windtunnel's docs/traces.md lists the thresholds with the values of each preset.
//
// +kubebuilder:validation:AtMostOneOf=inline;configMapRef;file
// +structType=atomic
type AnomalyThresholds struct {
	// preset has a value for every threshold. Sensitive finds more anomalies than
	// Standard, and Tolerant fewer.
	// +optional
	// +kubebuilder:default=Standard
	Preset AnomalyPreset `json:"preset,omitempty"`
	// inline is YAML with thresholds by their names, such as `ttft: 1s`. They replace
	// those of the preset.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Inline *string `json:"inline,omitempty"`
	// configMapRef is the ConfigMap key that holds such YAML.
	// +optional
	ConfigMapRef *ConfigMapKeyReference `json:"configMapRef,omitempty"`
	// file is a path on your machine, relative to the manifest. A cluster needs
	// configMapRef.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	File *string `json:"file,omitempty"`
}

// AnomalyPreset names a value for every threshold.
// +kubebuilder:validation:Enum=Sensitive;Standard;Tolerant
type AnomalyPreset string

const (
	// SensitiveAnomalies has the thresholds of few requests and small differences.
	SensitiveAnomalies AnomalyPreset = "Sensitive"
	// StandardAnomalies has the thresholds of a run that names none.
	StandardAnomalies AnomalyPreset = "Standard"
	// TolerantAnomalies has the thresholds of many requests and large differences.
	TolerantAnomalies AnomalyPreset = "Tolerant"
)
