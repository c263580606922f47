// SPDX-License-Identifier: Apache-2.0

package result

import "windtunnel.dev/windtunnel/pkg/policy"

// Adaptation is how the weights of a router changed in a run.
type Adaptation struct {
	// Model is the name of the router, or else the base model that it serves, where there are several routers.
	Model string `json:"model,omitempty"`
	// Law names what changed the weights.
	Law string `json:"law"`
	// Last are the weights after the last epoch.
	Last []ScorerWeight `json:"last"`
	// Epochs are those that ended in the run, in order. Of more than 600 they are the
	// first 300 and the last 300, and LeftOut counts those between them.
	Epochs  []WeightEpoch `json:"epochs"`
	LeftOut int           `json:"leftOut,omitempty"`
}

// ScorerWeight is the weight of a scorer, in a profile where there are profiles.
type ScorerWeight struct {
	Profile string  `json:"profile,omitempty"`
	Scorer  string  `json:"scorer"`
	Weight  float64 `json:"weight"`
}

// WeightEpoch is an epoch and the weights under which it passed.
type WeightEpoch struct {
	BeginSeconds float64 `json:"beginSeconds"`
	Arrived      int64   `json:"arrived"`
	Rejected     int64   `json:"rejected"`
	// Prefix and Load are what scorers of prefixes count together, and those of load.
	Prefix float64 `json:"prefix"`
	Load   float64 `json:"load"`
	// NoSignal says that the law learnt nothing from the epoch, and Capped that the cap
	// held the next weights back.
	NoSignal bool `json:"noSignal,omitempty"`
	Capped   bool `json:"capped,omitempty"`
}

// newAdaptations describes how weights changed; nil where none did.
func newAdaptations(all []*policy.Adaptation) []Adaptation {
	var out []Adaptation
	for _, a := range all {
		first, last, leftOut := a.Epochs()
		described := Adaptation{Model: a.Router, Law: a.Law, LeftOut: leftOut, Last: []ScorerWeight{}, Epochs: []WeightEpoch{}}
		for _, w := range a.Last {
			described.Last = append(described.Last, ScorerWeight{w.Profile, w.Scorer, w.Weight})
		}
		for _, epochs := range [][]policy.WeightEpoch{first, last} {
			for i := range epochs {
				e := &epochs[i]
				described.Epochs = append(described.Epochs, WeightEpoch{
					BeginSeconds: e.Begin.Seconds(), Arrived: e.Arrived, Rejected: e.Rejected,
					Prefix: e.Prefix, Load: e.Load, NoSignal: e.NoSignal, Capped: e.Capped,
				})
			}
		}
		out = append(out, described)
	}
	return out
}
