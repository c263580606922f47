// SPDX-License-Identifier: Apache-2.0

package autoscaling

import (
	"testing"
	"time"
)

// tokens lets the first engine of each pool work off tokens, per second.
func (s *scene) tokens(prompt, generated int64) *scene {
	s.sample(15*time.Second, nil)
	return s.sample(60*time.Second, func(x *Sample) {
		x.Gateway.Arrived = 1
		for k := range s.view.Pools {
			c := &x.Engines[s.view.Pools[k].First].Counters
			c.PrefixCacheQueries += 45 * prompt
			c.InterTokenLatency.Count += 45 * generated
		}
	})
}

func TestTokensPerSecond(t *testing.T) {
	both := []string{"promptTarget=1000", "generatedTarget=100"}
	decide(t, "tokens-per-second", map[string]decision{
		"no replica that is up is no signal": {newScene(0).start(0, 2).sample(0, nil), both, "2", "no signal: no replica is up"},
		"one sample is no signal":            {newScene(2).sample(0, nil), both, "2", "no signal: fewer than two samples"},
		"within tolerance":                   {newScene(4).tokens(1000, 430), both, "4", "430 generated tokens/s need 4.3 replicas at 100, within tolerance"},
		"tokens of answers":                  {newScene(4).tokens(1000, 450), both, "5", "450 generated tokens/s"},
		"tokens of prompts":                  {newScene(4).tokens(7500, 450), both, "8", "7500 prompt tokens/s"},
		"one target alone":                   {newScene(4).tokens(7500, 450), []string{"generatedTarget=100"}, "5", "450 generated"},
		"each pool alone":                    {newScene(4, 4).tokens(7500, 100), both, "8:1", "decode: from 4 to 1"},
		"starting replicas are full":         {newScene(2).start(0, 6).tokens(0, 100), both, "7", "from 8 to 7"},
		"nothing to do":                      {newScene(4).bound(0, 0, 9).tokens(0, 0), both, "1", "from 4 to 0"},
	})
}
