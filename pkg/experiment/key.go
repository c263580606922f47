// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"windtunnel.dev/windtunnel/pkg/result"
)

// Digest returns the hex SHA-256 of raw.
func Digest(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}

// digestJSON returns the digest of a value's JSON. Maps marshal with sorted
// keys and trees keep their digits, so equal values give equal digests.
func digestJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("experiment: marshal %T: %v", v, err))
	}
	return Digest(raw)
}

// SimulationKey is the identity of one simulation: the same key always gives
// the same result. It knows nothing of what the simulation is for, so that one
// made for something else serves too.
type SimulationKey struct {
	Engine string `json:"engine"`
	// Rows is the version of what rows hold.
	Rows int `json:"rows"`
	// Scenario is the tree of a resolved one.
	Scenario json.RawMessage `json:"scenario"`
	Trace    string          `json:"trace,omitempty"`
	Seed     int64           `json:"seed"`
	// Metrics are those that the row holds beside the usual ones.
	Metrics []string `json:"metrics,omitempty"`
}

func (k SimulationKey) String() string { return digestJSON(k)[:32] }

// KeyOf returns the key of a scenario's simulations, but for the seed.
func (p *Plan) KeyOf(scenario Tree, metrics []result.Metric) SimulationKey {
	key := SimulationKey{Engine: p.EngineVersion, Rows: result.RowsVersion, Scenario: MustJSON(scenario)}
	if p.Trace != nil {
		key.Trace = p.Trace.SHA256
	}
	for _, metric := range metrics {
		if metric.Selector != (result.Selector{}) {
			key.Metrics = append(key.Metrics, metric.String())
		}
	}
	slices.Sort(key.Metrics)
	return key
}

// Under returns the key of the simulation under a seed.
func (k SimulationKey) Under(seed int64) string {
	k.Seed = seed
	return k.String()
}

// TrialKeys returns the key of each simulation of a trial. That of a point whose
// values do not go together is made of the values.
func (p *Plan) TrialKeys(t *Trial, metrics []result.Metric) []string {
	scenario, err := p.ScenarioAt(t.Point, t.Share)
	if err != nil {
		scenario = Tree{"invalid": t.Point.String()}
	}
	key := p.KeyOf(scenario, metrics)
	keys := make([]string, len(t.Seeds))
	for i, seed := range t.Seeds {
		keys[i] = key.Under(seed)
	}
	return keys
}
