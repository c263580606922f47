// SPDX-License-Identifier: Apache-2.0

package propose

import (
	"encoding/json"
)

// version names the layout of questions and answers.
const version = "windtunnel.dev/propose/v1"

// question is the body of a POST.
type question struct {
	Version string `json:"version"`
	// Generation and Island number, from 0, what the policies are for.
	Generation int `json:"generation"`
	Island     int `json:"island"`
	// Count is how many policies are wanted. More are left out.
	Count   int      `json:"count"`
	Parents []parent `json:"parents"`
}

// parent is a policy that was simulated; the best one of the island comes first.
type parent struct {
	PolicyID string          `json:"policy_id"`
	Bundle   json.RawMessage `json:"bundle"`
	// Score is the first objective, turned so that more is better.
	Score float64 `json:"score"`
	// Feasible says that the policy meets the constraints.
	Feasible bool `json:"feasible"`
	// Metrics are the objectives, and Features what tells kinds of policies apart, by the
	// names of the metrics.
	Metrics  map[string]float64 `json:"metrics"`
	Features map[string]float64 `json:"features"`
}

// reply is the body of an answer.
type reply struct {
	Policies []policy `json:"policies"`
}

// policy is one that is proposed: a whole bundle, or a program in a language for a component of
// the parent.
type policy struct {
	Bundle    json.RawMessage `json:"bundle"`
	Language  string          `json:"language"`
	Policy    string          `json:"policy"`
	Component string          `json:"component"`
	// Parent is the policy_id of a parent; empty is the first one.
	Parent string `json:"parent"`
	// Note says what differs.
	Note string `json:"note"`
}
