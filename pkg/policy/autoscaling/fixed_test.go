// SPDX-License-Identifier: Apache-2.0

package autoscaling

import "testing"

func TestFixed(t *testing.T) {
	decide(t, "fixed", map[string]decision{
		"one pool":           {newScene(4), []string{"replicas=7"}, "7", "always 7"},
		"prefill and decode": {newScene(4, 4), []string{"replicas=2:6"}, "2:6", "always 2:6"},
	})
}
