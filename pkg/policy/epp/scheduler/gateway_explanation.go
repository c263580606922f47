// SPDX-License-Identifier: Apache-2.0

package scheduler

// PriorityAnswer is what the policy before the router made of a request's priority.
type PriorityAnswer struct {
	Policy string `json:"policy"`
	// Stated is what the client states, Value what counts in its place.
	Stated int `json:"stated"`
	Value  int `json:"value"`
}

// AdmissionAnswer is what the policy before the router said of a request when it was
// asked once.
type AdmissionAnswer struct {
	Policy    string  `json:"policy"`
	AtSeconds float64 `json:"atSeconds"`
	// Verdict is one of the verdicts. UntilSeconds is when the policy is to be asked
	// again about a request that is delayed, Reason why a request is rejected.
	Verdict      string  `json:"verdict"`
	UntilSeconds float64 `json:"untilSeconds,omitempty"`
	Reason       string  `json:"reason,omitempty"`
	// Saturation and Tenant are what the policy saw: nil if it looks at no such thing.
	Saturation *SaturationSignal `json:"saturation,omitempty"`
	Tenant     *FlowSignal       `json:"tenant,omitempty"`
}

// A GatewayAnswer is one answer of a policy before the router: Priority or Admission is set.
type GatewayAnswer struct {
	AtSeconds float64
	Request   ExplainedRequest
	Priority  *PriorityAnswer
	Admission *AdmissionAnswer
}

// The verdicts of an admission.
const (
	Admitted = "admitted"
	Rejected = "rejected"
	Delayed  = "delayed"
)

// SaturationSignal is how busy the replicas were by their metrics.
type SaturationSignal struct {
	// Freshness says in words how old that is.
	Freshness string `json:"freshness"`
	Level     Number `json:"level"`
}

// AddVerdict adds an answer of the admission.
func (x *Explanation) AddVerdict(a AdmissionAnswer) {
	x.Verdicts = append(x.Verdicts[:min(len(x.Verdicts), 1)], a)
	x.Asked++
}

// LastVerdict is the last answer of the admission; nil where none was asked.
func (x *Explanation) LastVerdict() *AdmissionAnswer {
	if len(x.Verdicts) == 0 {
		return nil
	}
	return &x.Verdicts[len(x.Verdicts)-1]
}

// FlowSignal is what the gateway had counted of the requests of a tenant, the one that
// was decided on included.
type FlowSignal struct {
	// Freshness says in words how old that is.
	Freshness string `json:"freshness"`
	Arrived   int64  `json:"arrived"`
	Admitted  int64  `json:"admitted"`
	Rejected  int64  `json:"rejected"`
	// Delayed and InFlight count requests at that time, InFlightTokens the tokens of
	// the prompts of the latter. ArrivalRate is per second, over the policy's window.
	Delayed        int    `json:"delayed"`
	InFlight       int    `json:"inFlight"`
	InFlightTokens int64  `json:"inFlightTokens"`
	ArrivalRate    Number `json:"arrivalRate"`
}
