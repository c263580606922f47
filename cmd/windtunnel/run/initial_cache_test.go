// SPDX-License-Identifier: Apache-2.0

package run

import (
	"math"
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/cmd/windtunnel/internal/cmdtest"
	"windtunnel.dev/windtunnel/internal/testing/jsontest"
	"windtunnel.dev/windtunnel/pkg/result"
)

// Each prompt of 1000 tokens finds 600 of them, which is 37 whole blocks of 16, 592 tokens: the
// step takes 10 ms + 408 × 0.1 ms. Prompts of 1000 tokens and an answer take 63 blocks.
//
// A cache of 200 blocks, one of which the engine keeps, has 199. The first three requests find 37
// each and fill 63 in all; the last block of each is not full and has no content afterwards.
// So 199 − 3 × 62 = 13 blocks have none, and the fourth request finds 13. No block counts twice:
// the fifth finds nothing. The share of cached tokens is (3 × 37 + 13) × 16 ÷ 5000 = 0.3968, and
// the mean TTFT 10 ms + 0.1 ms × 1000 × 0.6032.
func TestInitialCacheHitsByHand(t *testing.T) {
	for name, tc := range map[string]struct {
		kvCache      string
		hits, ttftMS float64
	}{
		"an empty cache":            {"{blocks: 2000}", 0, 110},
		"a warm cache":              {`{blocks: 2000, initialCacheHitRate: "0.6"}`, 0.592, 50.8},
		"a cache that is soon full": {`{blocks: 200, initialCacheHitRate: "0.6"}`, 0.3968, 70.32},
	} {
		t.Run(name, func(t *testing.T) {
			before, _, _ := strings.Cut(cmdtest.Clockwork, "  gates:")
			manifest := strings.NewReplacer("1499", "100", `"1000", perPrefill`, `"10000", perPrefill`, "maxNumSeqs: 1}", "maxNumSeqs: 1}\n      kvCache: "+tc.kvCache, "requests: 200", "requests: 5").Replace(before)
			out := jsontest.Decode[struct{ Rows []result.Row }](t, []byte(mustRun(t, "run", "-f", cmdtest.TempFile(t, "run.yaml", manifest), "-o", "json")))
			hits, _ := out.Rows[0].Metrics.Get("cacheHit.gpu")
			ttft, _ := out.Rows[0].Metrics.Get("ttft.mean")
			if math.Abs(hits-tc.hits) > 1e-9 || math.Abs(1000*ttft-tc.ttftMS) > 1e-6 {
				t.Errorf("the share of hits is %v, and the TTFT %v ms", hits, 1000*ttft)
			}
		})
	}
}
