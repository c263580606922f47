// SPDX-License-Identifier: Apache-2.0

package evaluate

import (
	_ "embed" // the schema of answers

	"windtunnel.dev/windtunnel/pkg/insight"
	"windtunnel.dev/windtunnel/pkg/result"
)

// Schema is the JSON schema of an answer.
//
//go:embed answer.schema.json
var Schema []byte

// An Answer says how good a policy is in a scenario under a seed. Equal questions have equal
// answers but for SimWallMS.
type Answer struct {
	PolicyID   string `json:"policy_id"`
	ScenarioID string `json:"scenario_id"`
	// Scenario is the name of the object that the scenario is of.
	Scenario string `json:"scenario"`
	Seed     int64  `json:"seed"`
	// Key is that of the simulation; empty where the bundle is invalid.
	Key   string `json:"key"`
	OK    bool   `json:"ok"`
	Error *Fault `json:"error"`
	// CombinedScore is the mean of Scores by their weights; 0 where there is a fault.
	CombinedScore float64            `json:"combined_score"`
	Scores        map[string]float64 `json:"scores"`
	Objectives    map[string]Value   `json:"objectives"`
	// Metrics are all figures of the simulation in base units.
	Metrics map[string]float64 `json:"metrics"`
	// Features tell policies of different behaviour apart.
	Features map[string]float64 `json:"features"`
	// SummaryText is for a language model; empty if it is not requested.
	SummaryText string `json:"summary_text"`
	// Components are the worst decisions of each component of the policy by its name, for a
	// language model to learn from; empty if no summary is requested.
	Components map[string][]insight.Example `json:"components"`
	// StepsUsed is how many steps the programs took; 0 where there is a fault.
	StepsUsed int64 `json:"steps_used"`
	SimWallMS int64 `json:"sim_wall_ms"`
}

// A Value is what an objective is about; nil where nothing was measured.
type Value struct {
	Value     *float64         `json:"value"`
	Direction result.Direction `json:"direction"`
}

// behaviours are the metrics of [Answer.Features].
var behaviours = []string{"cacheHit.gpu", "kvUsage.mean", "utilization"}

// sizeFeature is the length of the canonical bundle in bytes.
const sizeFeature = "policy_bytes"

// newAnswer is the answer of a policy with nothing known about it yet.
func newAnswer(p *Policy, s *Scenario, seed int64) *Answer {
	a := &Answer{
		PolicyID: p.ID, ScenarioID: s.ID, Scenario: s.Name, Seed: seed,
		Scores: map[string]float64{}, Objectives: map[string]Value{}, Metrics: map[string]float64{},
		Features: map[string]float64{}, Components: map[string][]insight.Example{},
	}
	for i := range s.Goals {
		a.Scores[s.Goals[i].Name] = 0
		a.Objectives[s.Goals[i].Name] = Value{Direction: s.Goals[i].Direction}
	}
	return a
}

// failed gives the answer a fault.
func (a *Answer) failed(f *Fault) *Answer {
	a.Error = f
	return a
}

// judge fills in what the row of the simulation says. A goal without a value has the score 0.
func (a *Answer) judge(row *result.Row, p *Policy, s *Scenario) {
	a.OK = true
	for name, value := range row.Metrics.All() {
		a.Metrics[name] = value
	}
	sum, weights := 0.0, 0.0
	for i := range s.Goals {
		g := &s.Goals[i]
		weights += g.Weight
		value, measured := g.measure.Value(row)
		if !measured {
			continue
		}
		score := g.score(value)
		a.Scores[g.Name], a.Objectives[g.Name] = score, Value{&value, g.Direction}
		sum += float64(g.Weight * score)
	}
	a.CombinedScore = clamp(sum / weights)
	a.Features[sizeFeature] = float64(p.size)
	for _, name := range behaviours {
		if value, measured := row.Metrics.Get(name); measured {
			a.Features[name] = value
		}
	}
}
