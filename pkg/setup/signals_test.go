// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/result"
)

func TestSignals(t *testing.T) {
	for name, tc := range map[string]struct {
		signals  v1alpha1.Signals
		interval v1alpha1.RefreshInterval
		live     bool
		want     result.RouterProvenance
		notes    []string
	}{
		"scraped, unless the scenario says otherwise": {"", "50ms", false, result.RouterProvenance{ScrapeIntervalSeconds: 0.05}, nil},
		"scraped": {v1alpha1.ScrapedSignals, "1s", false, result.RouterProvenance{ScrapeIntervalSeconds: 1}, nil},
		"oracle":  {v1alpha1.OracleSignals, "50ms", true, result.RouterProvenance{Signals: "Oracle"}, nil},
		"oracle with an interval": {v1alpha1.OracleSignals, "1s", true, result.RouterProvenance{Signals: "Oracle"},
			[]string{"spec.scenario.router.metricsRefreshInterval: has no effect, because signals is Oracle"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := buildValid(t, func(s *v1alpha1.Scenario) {
				s.Router.Signals, s.Router.MetricsRefreshInterval = tc.signals, tc.interval
			})
			pool := m.config.Pools[0]
			if pool.Live != tc.live || pool.ScrapeInterval != tc.interval.Duration() {
				t.Errorf("live: %v, interval %v", pool.Live, pool.ScrapeInterval)
			}
			got := routerProvenance(&m.in.Router, Tree{"policies": Tree{"routing": Tree{"policy": "random"}}})
			tc.want.Version = "random"
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("provenance (−want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.notes, signalNotes(&m.in.Router, spec.Child("router"))); diff != "" {
				t.Errorf("notes (−want +got):\n%s", diff)
			}
		})
	}
}
