// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/search"
	"windtunnel.dev/windtunnel/pkg/setup"
	"windtunnel.dev/windtunnel/pkg/simulator"
)

// PlanSchemaVersion names the layout of an encoded plan.
const PlanSchemaVersion = "windtunnel.dev/plan/v1"

// Plan is all that there is to simulate for one generation of an object, with
// references resolved and defaults spelled out. It was checked: running it needs
// nothing but the trace's bytes.
type Plan struct {
	SchemaVersion string `json:"schemaVersion"`
	EngineVersion string `json:"engineVersion"`
	// Scenario is the base. Its router.endpointPickerConfig is the EPP's own
	// document as the EPP sees it, with the version among its fields.
	Scenario Tree `json:"scenario"`
	// Trace is the recorded traffic without a name, Traces the recorded traffic with names.
	Trace  *TraceInput   `json:"trace,omitempty"`
	Traces []*TraceInput `json:"traces,omitempty"`
	// Inputs pin everything that was read from outside the object.
	Inputs []v1alpha1.InputDigest `json:"inputs,omitempty"`
	// Workloads are the workloads under which a sweep simulates each point; where there
	// are none, it simulates the scenario's.
	Workloads []Workload `json:"workloads,omitempty"`
	// Parameters to Constraints are a sweep's.
	Parameters []Parameter              `json:"parameters,omitempty"`
	Rules      []v1alpha1.ParameterRule `json:"rules,omitempty"`
	Search     *v1alpha1.Search         `json:"search,omitempty"`
	Baseline   []v1alpha1.Assignment    `json:"baseline,omitempty"`
	// Proposal says that the parameters are a configuration to roll out and the
	// one that it replaces.
	Proposal    bool                  `json:"proposal,omitempty"`
	Objectives  []v1alpha1.Objective  `json:"objectives,omitempty"`
	Constraints []v1alpha1.Constraint `json:"constraints,omitempty"`
	// Metrics are those that the object defines in addition to the registry's.
	Metrics []v1alpha1.DerivedMetric `json:"metrics,omitempty"`
	// Gates are claims about the best point, or about the run.
	Gates []v1alpha1.Gate `json:"gates,omitempty"`
	// Seeds are simulated for every point.
	Seeds []int64 `json:"seeds"`
	// Precision asks for more of them; nil does not.
	Precision *Precision `json:"precision,omitempty"`
	// Decisions is how many requests of each simulation, from the first one on,
	// have their routing decisions kept with the results; 0 keeps none.
	Decisions int `json:"decisions,omitempty"`
	// FullTrace keeps their other records, too. TraceSample, unless it is 0, is the share of the
	// requests that are looked at in addition to those of anomalies, in place of the first ones.
	FullTrace   bool    `json:"fullTrace,omitempty"`
	TraceSample float64 `json:"traceSample,omitempty"`
	// Anomalies are the thresholds of the rules on anomalies.
	Anomalies insight.Thresholds `json:"anomalies,omitzero"`
	// Series is how many bins the time series have at most that are kept with the results
	// of each simulation; 0 keeps none.
	Series int `json:"series,omitempty"`
	// Live, if set, has a real EPP measured. Only the operator sets it.
	Live *Live `json:"live,omitempty"`
	// Findings are what the linter has against the router's configuration:
	// warnings, and errors that do not keep it from being simulated.
	Findings []Finding `json:"findings,omitempty"`
	// Warnings say what has no effect.
	Warnings []string `json:"warnings,omitempty"`
	// Approximations say of plugins of the router, by name, in what they decide
	// otherwise than the EPP's.
	Approximations []string `json:"approximations,omitempty"`
	// StepTimes say in a line for each pool what its step times rest on, in the
	// base and where a parameter changes it.
	StepTimes []string `json:"stepTimes,omitempty"`

	// Pickers are the files that EPP configurations were given in. They are no part of
	// the encoded plan: what is simulated does not depend on how it is written.
	Pickers map[PickerKey]PickerFile `json:"-"`

	// Manifests are the texts that the manifests of scalers were given in, by their names
	// ([setup.ManifestField.NameOf]). They are no part of the encoded plan either.
	Manifests map[string]ManifestFile `json:"-"`

	// Expanded are the names of clients that have the fields of a preset. The scenario
	// holds these fields.
	Expanded []string `json:"-"`

	// Proposer, if set, proposes policies of a parameter that evolves before the mutator makes
	// them: whoever sets it sees to it that equal inquiries have equal answers. It returns nil
	// where the answers are yet to come, and a study waits for them.
	Proposer func([]search.Inquiry) [][]search.Proposed `json:"-"`

	// LoadRate is how many requests a second a load of 1 is, where capacities are searched
	// for; 0 where this is not known. It changes no simulation.
	LoadRate float64 `json:"-"`

	Builder setup.Builder `json:"-"`
	// TraceParts reads other parts of the traces than the base replays.
	TraceParts TraceParts `json:"-"`
	// IsInterrupted is set while the plan is compiled, and says that no caller waits for it.
	IsInterrupted func() bool `json:"-"`
}

// Precision is how sure a metric's mean must be.
type Precision struct {
	Metric   string              `json:"metric"`
	Relative v1alpha1.Percentage `json:"relative"`
	MaxCount int                 `json:"maxCount"`
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
	if err := p.Bind(); err != nil {
		return nil, fmt.Errorf("decode plan: %w", err)
	}
	return &p, nil
}

// IsSweep reports whether the plan is a sweep's: it varies parameters, or has one point
// under several workloads.
func (p *Plan) IsSweep() bool { return p.Search != nil }

// Bind finds the places that the parameters name, each in the first variant in
// which it exists.
func (p *Plan) Bind() error {
	variants := p.Variants()
	for i := range p.Parameters {
		parameter := &p.Parameters[i]
		for j := range variants {
			if !parameter.ExistsIn(&variants[j]) {
				continue
			}
			if err := parameter.Bind(variants[j].Scenario); err != nil {
				return fmt.Errorf("parameter %s: %w", parameter.Name, err)
			}
			break
		}
	}
	return nil
}

// KeepsMore says that something is kept in addition to the results of each simulation, which rows that are
// known already may lack.
func (p *Plan) KeepsMore() bool { return p.Decisions > 0 || p.Series > 0 }
