// SPDX-License-Identifier: Apache-2.0

package benchmark

// Component is one entry of the stack.
type Component struct {
	Metadata     ComponentMetadata `json:"metadata"`
	Standardized Standardized      `json:"standardized"`
	Native       Native            `json:"native"`
}

// ComponentMetadata names a component. CfgID is a hash of its configuration.
type ComponentMetadata struct {
	SchemaVersion string `json:"schema_version,omitempty"`
	Label         string `json:"label"`
	CfgID         string `json:"cfg_id"`
	Description   string `json:"description,omitempty"`
}

// Native is a configuration in the component's own form.
type Native struct {
	Args   map[string]any `json:"args,omitempty"`
	Envars map[string]any `json:"envars,omitempty"`
	Config any            `json:"config,omitempty"`
}

// The kinds of a component.
const (
	GenericKind = "generic"
	EngineKind  = "inference_engine"
)

// Standardized is an engine or anything else, by its kind.
type Standardized struct {
	Engine  *InferenceEngine
	Generic *Generic
}

// Generic is a component that is no engine. Its other fields are free.
type Generic struct {
	Kind        string         `json:"kind" enum:"generic"`
	Tool        string         `json:"tool"`
	ToolVersion string         `json:"tool_version"`
	Extra       map[string]any `extra:"fields"`
}

// InferenceEngine is a set of equal engines.
type InferenceEngine struct {
	Kind        string      `json:"kind" enum:"inference_engine"`
	Tool        string      `json:"tool"`
	ToolVersion string      `json:"tool_version"`
	Role        string      `json:"role" enum:"replica,prefill,decode"`
	Replicas    int64       `json:"replicas" min:"1"`
	Model       Model       `json:"model"`
	Accelerator Accelerator `json:"accelerator"`
}

// Model is what an engine serves.
type Model struct {
	Name string `json:"name"`
}

// Accelerator is what one engine runs on; Count is the number of its accelerators.
type Accelerator struct {
	Model       string      `json:"model"`
	Count       int64       `json:"count" min:"0"`
	Parallelism Parallelism `json:"parallelism"`
}

// Parallelism says how one engine uses its accelerators.
type Parallelism struct {
	TP      *int64 `json:"tp,omitempty" min:"0"`
	DP      *int64 `json:"dp,omitempty" min:"0"`
	DPLocal *int64 `json:"dp_local,omitempty" min:"0"`
	Workers *int64 `json:"workers,omitempty" min:"0"`
	EP      *int64 `json:"ep,omitempty" min:"1"`
	PP      *int64 `json:"pp,omitempty" min:"1"`
}

// Engines are the engines of the stack.
func (r *Report) Engines() []*InferenceEngine {
	var all []*InferenceEngine
	if r.Scenario == nil {
		return nil
	}
	for i := range r.Scenario.Stack {
		if e := r.Scenario.Stack[i].Standardized.Engine; e != nil {
			all = append(all, e)
		}
	}
	return all
}
