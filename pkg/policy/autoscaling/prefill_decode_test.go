// SPDX-License-Identifier: Apache-2.0

package autoscaling

import "testing"

// loads gives the first engine of prefill requests, one of which is in work, and each engine of decode its KV usage.
func (s *scene) loads(requests int, usage float64) *scene {
	return s.sample(0, func(x *Sample) {
		x.Gateway.Arrived = 1
		first := &x.Engines[s.view.Pools[0].First]
		first.Waiting, first.Running = max(requests-1, 0), min(requests, 1)
		last := &s.view.Pools[len(s.view.Pools)-1]
		for i := range last.Endpoints {
			if e := &x.Engines[last.First+i]; e.Up {
				e.KVUsage = usage
			}
		}
	})
}

// 8 requests wait and one is in work, of which a replica may have 3: 3 replicas. 4 decode replicas at 0.9 hold 3.6 replicas' worth of KV
// blocks; at 0.6 each that is 6 replicas. With at least one prefill replica for each decode replica, these 6 need 6;
// with at most half as many, 3 prefill replicas need 6 decode replicas.
func TestPrefillDecode(t *testing.T) {
	targets := []string{"prefillRequests=3", "decodeKVUsage=0.6"}
	with := func(more ...string) []string { return append(append([]string{}, targets...), more...) }
	decide(t, "prefill-decode", map[string]decision{
		"no replica that is up is no signal": {newScene(0, 2).start(0, 2).loads(0, 0.6), targets, "2:2", "no signal: no replica is up"},
		"each by its own signal":             {newScene(2, 4).loads(9, 0.9), targets, "3:6", "from 2 to 3: 9 requests need 3 replicas; decode: from 4 to 6: 3.6 replicas' worth of KV blocks need 6 replicas"},
		"prefill alone":                      {newScene(2, 4).loads(9, 0.6), targets, "3:4", "decode: stays at 4: 2.4 replicas' worth of KV blocks need 4 replicas, within tolerance"},
		"decode alone":                       {newScene(2, 4).loads(6, 0.9), targets, "2:6", "stays at 2"},
		"at least one for each":              {newScene(2, 4).loads(9, 0.9), with("minRatio=1"), "6:6", "and the ratio to 6 decode replicas needs 6"},
		"at most half as many":               {newScene(2, 2).loads(9, 0.6), with("maxRatio=0.5"), "3:6", "and the ratio to 3 prefill replicas needs 6"},
		"the ratio is free":                  {newScene(2, 2).loads(9, 0.6), targets, "3:2", "decode: stays at 2"},
		"one pool has the greater need":      {newScene(2).loads(16, 0.9), targets, "5", "15 requests need 5 replicas"},
	})
}
