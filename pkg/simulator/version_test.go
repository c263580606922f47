// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"windtunnel.dev/windtunnel/pkg/stats"
)

// recorded is what this version of the engine makes of a fixed set of
// scenarios, on every architecture.
const recorded = "55968c5a674d7a5381a69ce064515f08b2d69bfe45eee0b50731e7975c9963f4"

// TestResultsChangeOnlyWithTheEngineVersion is a recording. Where a change of
// behaviour is meant, EngineVersion and the digest change together.
func TestResultsChangeOnlyWithTheEngineVersion(t *testing.T) {
	digest := sha256.New()
	fmt.Fprintln(digest, EngineVersion)
	for seed := range uint64(200) {
		o, err := Run(context.Background(), randomConfig(plainBytes(seed)))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(digest, o.End, o.Measured, o.Replicas)
		for i := range o.Cells {
			c := &o.Cells[i]
			fmt.Fprintln(digest, c.Pool, c.Tenant, c.Class, c.Arrived, c.Completed, c.Rejected, c.Unfinished, c.RejectedBy,
				c.Good, c.MetTTFT, c.MetTPOT, c.MetE2E, c.PromptTokens, c.CachedTokens, c.OutputTokens, c.Preemptions, c.RecomputedTokens)
			for _, h := range []*stats.Histogram{&c.TTFT, &c.TPOT, &c.ITL, &c.E2E, &c.Queueing} {
				fmt.Fprintln(digest, h.Count(), h.Mean(), h.Quantile(0.5), h.Quantile(0.99))
			}
		}
	}
	if got := hex.EncodeToString(digest.Sum(nil)); got != recorded {
		t.Errorf("results differ from those of engine version %s\n got %s\nwant %s", EngineVersion, got, recorded)
	}
}

// plainBytes are the choices of a scenario by a generator that nothing else
// uses, so that the recording depends on the simulation alone.
func plainBytes(state uint64) []byte {
	data := make([]byte, 300)
	for i := range data {
		state = state*6364136223846793005 + 1442695040888963407
		data[i] = byte(state >> 56)
	}
	return data
}
