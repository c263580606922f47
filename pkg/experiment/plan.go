// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// PlanSchemaVersion names the layout of an encoded plan.
const PlanSchemaVersion = "windtunnel.dev/plan/v1"

// Plan is all that there is to simulate for one generation of an object, with
// references resolved and defaults spelled out. It was checked: expanding and
// running it needs nothing but the trace's bytes.
type Plan struct {
	SchemaVersion string `json:"schemaVersion"`
	EngineVersion string `json:"engineVersion"`
	// Scenario is the base. Its router.endpointPickerConfig is the EPP's own
	// document as the EPP sees it, with the version beside its fields.
	Scenario tree `json:"scenario"`
	// Trace is the recorded traffic, if there is any.
	Trace *TraceInput `json:"trace,omitempty"`
	// Inputs pin everything that was read from outside the object.
	Inputs []v1alpha1.InputDigest `json:"inputs,omitempty"`
	// Parameters, Search, Baseline and Objectives are a sweep's.
	Parameters []Parameter           `json:"parameters,omitempty"`
	Search     *v1alpha1.Search      `json:"search,omitempty"`
	Baseline   []v1alpha1.Assignment `json:"baseline,omitempty"`
	Objectives []v1alpha1.Objective  `json:"objectives,omitempty"`
	// Seeds are simulated for every point.
	Seeds []int64 `json:"seeds"`
	// Decisions is how many requests of each simulation, from the first one on,
	// have their routing decisions kept beside the results; 0 keeps none.
	Decisions int `json:"decisions,omitempty"`
	// Findings are what the linter has against the router's configuration:
	// warnings, and errors that do not keep it from being simulated.
	Findings []Finding `json:"findings,omitempty"`
	// Warnings say what has no effect.
	Warnings []string `json:"warnings,omitempty"`
	// Approximations say of plugins of the router, by name, in what they decide
	// otherwise than the EPP's.
	Approximations []string `json:"approximations,omitempty"`

	expanded expansion
	texts    texts
}

// TraceInput says where a trace's bytes are and what they must be.
type TraceInput struct {
	Format v1alpha1.TraceFormat `json:"format"`
	// File or ConfigMap says where.
	File      string                          `json:"file,omitempty"`
	ConfigMap *v1alpha1.ConfigMapKeyReference `json:"configMap,omitempty"`
	// SHA256 is the digest of the decompressed bytes, in hex.
	SHA256 string `json:"sha256"`
}

// Encode returns the plan's canonical JSON: equal plans, equal bytes.
func (p *Plan) Encode() []byte {
	raw, err := json.Marshal(p)
	if err != nil {
		panic(fmt.Sprintf("experiment: encode plan: %v", err))
	}
	return raw
}

// Hash is the content hash of the plan, in hex.
func (p *Plan) Hash() string { return Digest(p.Encode()) }

// DecodePlan reads what Encode wrote. It refuses the plan of another layout or
// another engine version, whose results would not be the ones asked for.
func DecodePlan(raw []byte) (*Plan, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	d.DisallowUnknownFields()
	var p Plan
	if err := d.Decode(&p); err != nil {
		return nil, fmt.Errorf("decode plan: %w", err)
	}
	if p.SchemaVersion != PlanSchemaVersion {
		return nil, fmt.Errorf("decode plan: schema version %q, this binary reads %q", p.SchemaVersion, PlanSchemaVersion)
	}
	if p.EngineVersion != simulator.EngineVersion {
		return nil, fmt.Errorf("decode plan: engine version %q, this binary simulates %q", p.EngineVersion, simulator.EngineVersion)
	}
	if err := p.expand(); err != nil {
		return nil, fmt.Errorf("decode plan: %w", err)
	}
	return &p, nil
}

// IsSweep reports whether the plan varies parameters.
func (p *Plan) IsSweep() bool { return len(p.Parameters) > 0 }

// Simulations is the number of simulations: points times seeds.
func (p *Plan) Simulations() int { return len(p.Points()) * len(p.Seeds) }

// maxPerShard is how many simulations a shard can have: its termination message
// names some twenty chunks of a few hundred rows each.
const maxPerShard = 8000

// Shards is the number of shards that make sense when so many are asked for: no
// more than simulations, and enough of them that each can report its results.
func (p *Plan) Shards(asked int) int {
	total := p.Simulations()
	return max(1, min(asked, total), (total+maxPerShard-1)/maxPerShard)
}

// Span is a range of simulations [First, End). Simulation i is point
// i ÷ len(Seeds) under seed i mod len(Seeds).
type Span struct{ First, End int }

// Shard returns the span of one of n shards. Spans differ in length by one at
// most and cover every simulation once.
func (p *Plan) Shard(index, n int) Span {
	total := p.Simulations()
	return Span{First: index * total / n, End: (index + 1) * total / n}
}
