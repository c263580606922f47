// SPDX-License-Identifier: Apache-2.0

package report

import (
	"strings"
	"testing"

	"windtunnel.dev/windtunnel/pkg/result"
)

// A high utilization beside empty caches, and evictions beside them, are explained on the same table;
// figures that agree are not.
func TestFiguresThatSeemToContradictAreExplained(t *testing.T) {
	for name, tc := range map[string]struct {
		utilization, usage float64
		evictions          int64
		busy, evicted      bool
	}{
		"busy and empty":           {0.94, 0.007, 334105, true, true},
		"busy and empty, none out": {0.94, 0.007, 0, true, false},
		"busy and full":            {0.99, 0.9, 334105, false, false},
		"idle":                     {0.1, 0.007, 0, false, false},
	} {
		d := &result.Document{}
		d.Overall.Replicas = &result.Replicas{
			Utilization: &result.Spread{Mean: tc.utilization}, KVUsage: &result.KVUsage{Mean: tc.usage}, Evictions: tc.evictions,
		}
		got := runTable{[]*result.Document{d}}.misread()
		if strings.Contains(got, "utilization is the time") != tc.busy || strings.Contains(got, "evictions counts") != tc.evicted {
			t.Errorf("%s: %q", name, got)
		}
	}
}
