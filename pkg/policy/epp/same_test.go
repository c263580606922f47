// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"testing"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
)

func TestSameHeedsTheOrderOfProducersOnly(t *testing.T) {
	load := func(version, plugins string) *config.Config {
		t.Helper()
		c, errs := Load([]byte("kind: EndpointPickerConfig\nplugins:\n"+plugins), version, nil)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		return c
	}
	const version = "router-v0.10.0"
	scorer := "- type: queue-scorer\n"
	profile := "schedulingProfiles:\n- name: default\n  plugins:\n  - pluginRef: queue-scorer\n"
	for name, tc := range map[string]struct {
		a, b *config.Config
		want bool
	}{
		"itself":                           {load(version, scorer), load(version, scorer), true},
		"a detector that is listed":        {load(version, scorer+profile), load(version, scorer+"- type: utilization-detector\n"+profile), true},
		"a detector that is another":       {load(version, scorer+profile), load(version, scorer+"- type: utilization-detector\n  parameters: {queueDepthThreshold: 9}\n"+profile), false},
		"a detector that becomes a filter": {load(version, scorer), load(version, scorer+"- type: utilization-detector\n"), false},
		"another version":                  {load(version, scorer), load("router-v0.9.0", scorer), false},
		"producers the other way":          {load(version, scorer+"- type: inflight-load-producer\n- type: approx-prefix-cache-producer\n"), load(version, scorer+"- type: approx-prefix-cache-producer\n- type: inflight-load-producer\n"), false},
		"a picker behind the scorers":      {load(version, "- type: max-score-picker\n"+scorer), load(version, scorer+"- type: max-score-picker\n"), false},
	} {
		if got := tc.a.Same(tc.b); got != tc.want {
			t.Errorf("%s: Same is %t, want %t", name, got, tc.want)
		}
	}
}
