// SPDX-License-Identifier: Apache-2.0

package builder

import (
	"strings"

	"k8s.io/utils/ptr"

	"windtunnel.dev/windtunnel/api/v1alpha1"
)

// disaggregating is an EPP configuration that hands every prompt over.
const disaggregating = `apiVersion: llm-d.ai/v1alpha1
kind: EndpointPickerConfig
plugins:
- type: disagg-profile-handler
  parameters: {deciders: {prefill: always-disagg-pd-decider}}
- type: always-disagg-pd-decider
- type: prefill-filter
- type: decode-filter
- type: queue-scorer
schedulingProfiles:
- name: prefill
  plugins: [{pluginRef: prefill-filter}, {pluginRef: queue-scorer}]
- name: decode
  plugins: [{pluginRef: decode-filter}, {pluginRef: queue-scorer}]
`

// SplitPools makes of the first pool one of each role, such as pprefill, behind a
// router that hands every prompt over.
func SplitPools(roles ...v1alpha1.Role) ScenarioEdit {
	return func(s *v1alpha1.Scenario) {
		s.Router.EndpointPickerConfig.Inline = ptr.To(disaggregating)
		pool := s.Pools[0]
		s.Pools = nil
		for _, role := range roles {
			pool.Name, pool.Role = "p"+strings.ToLower(string(role)), role
			s.Pools = append(s.Pools, pool)
		}
	}
}
