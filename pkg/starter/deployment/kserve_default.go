// SPDX-License-Identifier: Apache-2.0

package deployment

// serviceDefault is the configuration that KServe gives the EPP of a service without one
// (kserve@aaac4e29, pkg/controller/v1alpha2/llmisvc/scheduler.go).
func serviceDefault(spec *serviceSpec) string {
	lora, scorer := "", ""
	if len(spec.Model.LoRA.Adapters) > 0 {
		lora, scorer = "- {type: lora-affinity-scorer}\n", "  - {pluginRef: lora-affinity-scorer, weight: 4}\n"
	}
	if spec.Prefill == nil {
		return "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n" +
			"- {type: single-profile-handler}\n- {type: queue-scorer}\n- {type: kv-cache-utilization-scorer}\n- {type: prefix-cache-scorer}\n" +
			"- {type: no-hit-lru-scorer}\n- {type: max-score-picker}\n" + lora +
			"schedulingProfiles:\n- name: default\n  plugins:\n" + scorer +
			"  - {pluginRef: queue-scorer, weight: 2}\n  - {pluginRef: kv-cache-utilization-scorer, weight: 2}\n" +
			"  - {pluginRef: prefix-cache-scorer, weight: 3}\n  - {pluginRef: no-hit-lru-scorer, weight: 2}\n  - {pluginRef: max-score-picker}\n"
	}
	return disaggregatedDefault(lora, scorer)
}

// disaggregatedDefault is the configuration of llm-d and of KServe for prefill and decode apart, with lines for
// another plugin and its references.
func disaggregatedDefault(lora, scorer string) string {
	return "apiVersion: llm-d.ai/v1alpha1\nkind: EndpointPickerConfig\nplugins:\n" +
		"- {type: disagg-headers-handler}\n- {type: prefill-filter}\n- {type: decode-filter}\n- {type: queue-scorer}\n" +
		"- {type: kv-cache-utilization-scorer}\n- {type: active-request-scorer}\n- {type: prefix-cache-scorer}\n- {type: max-score-picker}\n" +
		"- {type: always-disagg-pd-decider}\n- type: disagg-profile-handler\n  parameters: {deciders: {prefill: always-disagg-pd-decider}}\n" + lora +
		"schedulingProfiles:\n- name: prefill\n  plugins:\n  - {pluginRef: prefill-filter}\n" + scorer +
		"  - {pluginRef: prefix-cache-scorer, weight: 3}\n  - {pluginRef: queue-scorer, weight: 2}\n" +
		"  - {pluginRef: kv-cache-utilization-scorer, weight: 2}\n  - {pluginRef: max-score-picker}\n" +
		"- name: decode\n  plugins:\n  - {pluginRef: decode-filter}\n" + scorer +
		"  - {pluginRef: active-request-scorer, weight: 2}\n  - {pluginRef: prefix-cache-scorer, weight: 3}\n  - {pluginRef: max-score-picker}\n"
}
