// SPDX-License-Identifier: Apache-2.0

package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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

// simulationKey is the identity of one simulation: the same key always gives
// the same result.
type simulationKey struct {
	Engine   string `json:"engine"`
	Scenario tree   `json:"scenario"`
	Trace    string `json:"trace,omitempty"`
	Seed     int64  `json:"seed"`
	// Metrics are those that the row holds beside the usual ones.
	Metrics []string `json:"metrics,omitempty"`
}

func (k simulationKey) String() string { return digestJSON(k)[:32] }
