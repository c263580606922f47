// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"encoding/json"
	"math"
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// An Explanation says how one request was routed, and by what. Endpoints are
// numbered from 0; a list by endpoint has one entry for each. It belongs to who
// receives it, who may release it. With flow control it is of when the request leaves its queue. Of a request
// that comes to no router it has what the policies before it said.
type Explanation struct {
	// Model is the base model of the request, where there are several, and Router is
	// which of their routers decided, from 0. Endpoints are those of the model.
	Model  string `json:"model,omitempty"`
	Router int    `json:"-"`
	// EPP is which of several EPPs decided, from 0.
	EPP int `json:"epp,omitempty"`
	// AtSeconds is the time of the decision.
	AtSeconds float64          `json:"atSeconds"`
	Request   ExplainedRequest `json:"request"`
	// Priority and Verdicts are of the policies before the router: nil where there are
	// none. Verdicts are the first and the last answer of the admission, or the only
	// one, and Asked is how often it was asked.
	Priority *PriorityAnswer   `json:"priority,omitempty"`
	Verdicts []AdmissionAnswer `json:"verdicts,omitempty"`
	Asked    int               `json:"asked,omitempty"`
	// Endpoints are what the EPP knew of each from its metrics.
	Endpoints []EndpointSignals `json:"endpoints"`
	// Prefixes and InFlight are what producers of data knew, in the order of the
	// document.
	Prefixes    []PrefixSignal     `json:"prefixes,omitempty"`
	InFlight    []InFlightSignal   `json:"inFlight,omitempty"`
	Predictions []PredictionSignal `json:"predictions,omitempty"`
	// Admission is of EPPs.
	Admission Admission `json:"admission,omitzero"`
	// Profiles are those that ran, in order.
	Profiles []ProfileRun `json:"profiles,omitempty"`
	// Decider is who was asked whether another endpoint computes the prompt; nil
	// where none was.
	Decider *DeciderAnswer `json:"decider,omitempty"`
	// Endpoint decodes; Prefill is another one that computes the prompt before.
	// nil is none.
	Endpoint *int `json:"endpoint,omitempty"`
	Prefill  *int `json:"prefill,omitempty"`
	// Error says why there is no Endpoint.
	Error string `json:"error,omitempty"`

	memory *memory // nil where it is not from a pool
}

// Primary returns the run of the profile that chose the endpoint which decodes: the first
// one where a decider was asked after it, else the last one. It is nil where none ran.
func (x *Explanation) Primary() *ProfileRun {
	switch n := len(x.Profiles); {
	case n == 0:
		return nil
	case x.Decider != nil:
		return &x.Profiles[0]
	default:
		return &x.Profiles[n-1]
	}
}

// ExplainedRequest is what the EPP knew of the request.
type ExplainedRequest struct {
	ID             int     `json:"id"`
	ArrivalSeconds float64 `json:"arrivalSeconds"`
	PromptTokens   int     `json:"promptTokens"`
	// Tenant and Class are indices into the workload's labels, which JSON would
	// not explain.
	Tenant   int `json:"-"`
	Class    int `json:"-"`
	Priority int `json:"priority"`
	// Session and Adapter are numbered from 1; 0 is none.
	Session int32 `json:"session,omitempty"`
	Adapter int32 `json:"adapter,omitempty"`
}

// EndpointSignals are an endpoint's metrics as the EPP saw them.
type EndpointSignals struct {
	// Down says that the endpoint was gone, and no candidate.
	Down bool `json:"down,omitempty"`
	// ScrapeAgeSeconds is how long ago the metrics were read; nil where none
	// reach the EPP.
	ScrapeAgeSeconds *float64 `json:"scrapeAgeSeconds,omitempty"`
	Waiting          int      `json:"waiting"`
	Running          int      `json:"running"`
	KVUsage          Number   `json:"kvUsage"`
	// Adapters are the endpoint's LoRA adapters; nil where it serves none, or where
	// no metrics reach the EPP.
	Adapters *AdapterSignal `json:"adapters,omitempty"`
	// Anomaly says in words what the EPP could not know to be wrong.
	Anomaly string `json:"anomaly,omitempty"`
}

// AdapterSignal is what an endpoint's metrics say of its LoRA adapters. Adapters
// are numbered as [AskedRequest].Adapter numbers them.
type AdapterSignal struct {
	// Active are those that requests run with, Waiting those that waiting requests
	// ask for.
	Active  []int32 `json:"active,omitempty"`
	Waiting []int32 `json:"waiting,omitempty"`
	// Max is how many the endpoint holds at a time.
	Max int `json:"max"`
}

// NewAdapterSignal copies what the router sees of an endpoint's adapters. all is
// what it sees of each endpoint, or nil.
func NewAdapterSignal(all []policy.Adapters, endpoint int) *AdapterSignal {
	if all == nil || all[endpoint].Max == 0 {
		return nil
	}
	a := &all[endpoint]
	return &AdapterSignal{Active: slices.Clone(a.Active), Waiting: slices.Clone(a.Waiting), Max: a.Max}
}

// PluginName names an instance and its type.
type PluginName struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// PrefixSignal is what a producer believed each endpoint to hold of the prompt.
type PrefixSignal struct {
	PluginName
	// Freshness says in words how old that is.
	Freshness   string `json:"freshness"`
	BlockTokens int    `json:"blockTokens"`
	// TotalBlocks is how many blocks were looked for; 0 where nothing is known.
	TotalBlocks int `json:"totalBlocks"`
	// Blocks are those that each endpoint holds.
	Blocks []int `json:"blocks"`
}

// InFlightSignal is what a producer counted on each endpoint before this
// request.
type InFlightSignal struct {
	PluginName
	// Freshness says in words how old that is.
	Freshness string  `json:"freshness"`
	Requests  []int64 `json:"requests"`
	// Tokens is nil where none are counted.
	Tokens []int64 `json:"tokens,omitempty"`
	// Uncached are the tokens that the request would add; nil if they are not needed.
	Uncached []int64 `json:"uncached,omitempty"`
}

// PredictionSignal is what a producer predicted for the request on each endpoint;
// not a number where it predicted nothing.
type PredictionSignal struct {
	PluginName
	// Freshness says in words how old what that rests on is.
	Freshness   string   `json:"freshness"`
	TTFTSeconds []Number `json:"ttftSeconds"`
	TPOTSeconds []Number `json:"tpotSeconds"`
	// The headrooms are what the request's objectives leave; negative where they
	// are missed.
	TTFTHeadroomSeconds []Number `json:"ttftHeadroomSeconds"`
	TPOTHeadroomSeconds []Number `json:"tpotHeadroomSeconds"`
}

// Admission says whether the request came to any profile.
type Admission struct {
	// Detector is the saturation detector, and Saturation what it says: 1 is all
	// of the pool's capacity.
	Detector   PluginName `json:"detector"`
	Saturation Number     `json:"saturation"`
	// RefusedBy is the plugin that turned the request away; nil if none did.
	RefusedBy *PluginName `json:"refusedBy,omitempty"`
}

// ProfileRun says how one scheduling profile chose.
type ProfileRun struct {
	Profile string `json:"profile"`
	// Endpoints are those that were there, before any filter.
	Endpoints []int `json:"endpoints"`
	// Filters are those that were asked, in order; the last one may have left
	// nothing.
	Filters []FilterRun `json:"filters,omitempty"`
	// Candidates are what they left, and all further lists are by candidate.
	Candidates []int       `json:"candidates"`
	Scorers    []ScorerRun `json:"scorers,omitempty"`
	// Scores are the sums of the weighted scores.
	Scores []Number   `json:"scores,omitempty"`
	Picker PluginName `json:"picker"`
	// Chosen is an endpoint; nil where no candidate was left.
	Chosen *int `json:"chosen,omitempty"`
	// Tied counts the candidates with the highest score.
	Tied int `json:"tied"`
	// ByChance is whether a random draw decided.
	ByChance bool `json:"byChance"`
}

// FilterRun says what one filter did.
type FilterRun struct {
	PluginName
	// Dropped are the endpoints that it took out.
	Dropped []int `json:"dropped"`
}

// ScorerRun says what one scorer gave each candidate.
type ScorerRun struct {
	PluginName
	Weight Number `json:"weight"`
	// Raw is what the scorer said, Clamped that between 0 and 1, Weighted that
	// times the weight.
	Raw      []Number `json:"raw"`
	Clamped  []Number `json:"clamped"`
	Weighted []Number `json:"weighted"`
}

// DeciderAnswer is what a decider said of the chosen decode endpoint.
type DeciderAnswer struct {
	PluginName
	Reason Reason `json:"reason"`
}

// Number is a number that may be none: JSON has null for NaN and the
// infinities.
type Number float64

// MarshalJSON implements [json.Marshaler].
func (n Number) MarshalJSON() ([]byte, error) {
	if f := float64(n); !math.IsNaN(f) && !math.IsInf(f, 0) {
		return json.Marshal(f)
	}
	return []byte("null"), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Number) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	var f float64
	err := json.Unmarshal(raw, &f)
	*n = Number(f)
	return err
}
