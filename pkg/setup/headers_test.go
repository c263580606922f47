// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/simulator"
	"windtunnel.dev/windtunnel/pkg/simulator/simulation"
)

const headerConfig = `apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: header-profile-handler
- {name: in-east, type: label-selector-filter, parameters: {matchLabels: {zone: east}}}
- {name: in-west, type: label-selector-filter, parameters: {matchLabels: {zone: west}}}
- type: queue-scorer
schedulingProfiles:
- {name: decode, plugins: [{pluginRef: in-east}, {pluginRef: queue-scorer}]}
- {name: far, plugins: [{pluginRef: in-west}, {pluginRef: queue-scorer}]}
`

// A client's header has its requests routed by another profile than those of others.
func TestHeadersSelectProfile(t *testing.T) {
	config := mustBuild(t, func(s *v1alpha1.Scenario) {
		s.Router.EndpointPickerConfig.Inline = ptr.To(headerConfig)
		east, west := s.Pools[0], s.Pools[0]
		east.Name, east.Labels = "east", map[string]v1alpha1.LabelValue{"zone": "east"}
		west.Name, west.Labels = "west", map[string]v1alpha1.LabelValue{"zone": "west"}
		s.Pools = []v1alpha1.Pool{east, west}
		s.Horizon = v1alpha1.Horizon{Requests: ptr.To[int64](60), Drain: "10m"}
		near, far, lost := s.Workload.Clients[0], s.Workload.Clients[0], s.Workload.Clients[0]
		near.Name, near.Tenant = "near", "near"
		far.Name, far.Tenant, far.Headers = "far", "far", map[string]v1alpha1.HeaderValue{"EPP-Profile": "far"}
		lost.Name, lost.Tenant, lost.Headers = "lost", "lost", map[string]v1alpha1.HeaderValue{"epp-profile": "nowhere"}
		s.Workload.Clients = []v1alpha1.Client{near, far, lost}
	})
	o, err := simulation.Run(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, c := range o.Cells {
		tenant := o.Labels.Tenants[c.Tenant]
		if c.Pool == simulator.NoPool {
			got[tenant+" nowhere"] = c.RejectedBy[simulator.NoEndpoint] > 0
			continue
		}
		got[tenant+" "+o.Pools[c.Pool]] = c.Completed > 0
	}
	if diff := cmp.Diff(map[string]bool{"near east": true, "far west": true, "lost nowhere": true}, got); diff != "" {
		t.Errorf("who went where (-want +got):\n%s", diff)
	}
}

func TestHeaderValidation(t *testing.T) {
	clients := []v1alpha1.Client{{Headers: map[string]v1alpha1.HeaderValue{"x-a": "1", "X-A": "2", "no blanks": "3"}}}
	var got []string
	for _, err := range validateHeaders(clients, field.NewPath("clients")) {
		got = append(got, err.Field+": "+string(err.Type))
	}
	if diff := cmp.Diff([]string{"clients[0].headers[no blanks]: FieldValueInvalid", "clients[0].headers[x-a]: FieldValueDuplicate"}, got); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}
