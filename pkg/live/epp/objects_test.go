// SPDX-License-Identifier: Apache-2.0

package epp_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"windtunnel.dev/windtunnel/pkg/live/epp"
	"windtunnel.dev/windtunnel/pkg/live/epp/epptest"
	"windtunnel.dev/windtunnel/pkg/live/picker"
)

// even is a profile that chooses among equal endpoints at random.
const even = `
apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: queue-scorer
schedulingProfiles:
- name: default
  plugins:
  - pluginRef: queue-scorer
`

// TestTheEPPReadsObjectives asks a real EPP of two replicas, which share an address, as an objective that
// it has read. Then one goes.
func TestTheEPPReadsObjectives(t *testing.T) {
	endpoints := []epp.Endpoint{
		{Name: "a", Address: netip.MustParseAddrPort("127.0.0.1:8001")},
		{Name: "b", Address: netip.MustParseAddrPort("127.0.0.1:8002"), Labels: map[string]string{"llm-d.ai/role": "decode"}},
	}
	folder := t.TempDir()
	p := epptest.Run(t, epp.Options{Config: []byte(even), Objectives: map[string]int{"urgent": 7, "batch": -3}, Endpoints: endpoints, Folder: folder})
	c, err := picker.NewClient(p.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if chosen := choose(t, c); len(chosen) != 2 {
		t.Errorf("the EPP chose among %v", chosen)
	}
	if metrics := epptest.Metrics(t, p.Metrics); !strings.Contains(metrics, `priority="7"`) || strings.Contains(metrics, `priority="0"`) {
		t.Errorf("the priorities are not all 7:\n%s", metrics)
	}
	if err := epp.WriteEndpoints(folder, endpoints[1:]); err != nil {
		t.Fatal(err)
	}
	over := time.Now().Add(time.Minute)
	for chosen := choose(t, c); len(chosen) > 1 || !chosen["127.0.0.1:8002"]; chosen = choose(t, c) {
		if time.Now().After(over) {
			t.Fatalf("the EPP still chooses among %v", chosen)
		}
	}
}

// choose asks for 50 requests that are urgent, and returns the endpoints that the EPP chose.
func choose(t *testing.T, c *picker.Client) map[string]bool {
	t.Helper()
	chosen := map[string]bool{}
	for range 50 {
		e, err := c.Pick(t.Context(), picker.Request{
			Path: "/v1/completions", Body: []byte(`{"model":"llama","prompt":"text"}`),
			Header: http.Header{"Content-Type": {"application/json"}, "X-Llm-D-Inference-Objective": {"urgent"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		chosen[e.Endpoints[0]] = true
		e.Close()
	}
	return chosen
}
