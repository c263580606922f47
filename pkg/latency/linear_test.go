// SPDX-License-Identifier: Apache-2.0

package latency

import (
	"testing"
	"time"
)

func TestLinear(t *testing.T) {
	published := Linear{BaseMicroseconds: 6910.42, PerPrefillTokenMicroseconds: 17.67057, PerDecodeTokenMicroseconds: 2.83775}
	tests := map[string]struct {
		timer Linear
		step  Step
		want  time.Duration
	}{
		"the base alone":              {published, Step{}, 6910420},
		"prompt tokens":               {published, Step{PrefillTokens: 1000}, 24580990},
		"decodes":                     {published, Step{DecodeTokens: 200}, 7477970},
		"both":                        {published, Step{PrefillTokens: 200, DecodeTokens: 100}, 10728309},
		"context is free":             {published, Step{DecodeTokens: 200, AttentionPairs: 1 << 40, ContextTokens: 1 << 40}, 7477970},
		"a fraction is rounded":       {Linear{BaseMicroseconds: 1.0006}, Step{}, 1001},
		"an empty step moves a clock": {Linear{}, Step{}, 1},
		"a step beyond all measure":   {Linear{PerPrefillTokenMicroseconds: 1e300}, Step{PrefillTokens: 1}, 1 << 53},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if got := tc.timer.StepTime(tc.step); got != tc.want {
				t.Errorf("step = %s, want %s", got, tc.want)
			}
		})
	}
}
