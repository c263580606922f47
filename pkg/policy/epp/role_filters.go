// SPDX-License-Identifier: Apache-2.0

package epp

import "slices"

const (
	decodeFilterType  = "decode-filter"
	prefillFilterType = "prefill-filter"
	encodeFilterType  = "encode-filter"
)

// The filters keep pods by what they serve. Pods without a role decode, and
// "both" is an old word for prefill-decode. Up to scheduler-v0.6 a role has one
// part, and "both" is none that prefills.
var (
	oldDecodeFilter  = roleFilter(decodeFilterType, true, "decode", "both").registered(llmd("scheduler-v0.2..scheduler-v0.6"))
	oldPrefillFilter = roleFilter(prefillFilterType, false, "prefill").registered(llmd("scheduler-v0.2..scheduler-v0.6"))

	decodeFilter  = roleFilter(decodeFilterType, true, "decode", "prefill-decode", "both", "encode-prefill-decode").registered(llmd("scheduler-v0.7.."))
	prefillFilter = roleFilter(prefillFilterType, false, "prefill", "encode-prefill", "prefill-decode", "both", "encode-prefill-decode").registered(llmd("scheduler-v0.7.."))
	encodeFilter  = roleFilter(encodeFilterType, false, "encode", "encode-prefill", "encode-prefill-decode").registered(llmd("scheduler-v0.7.."))
)

func roleFilter(name string, unlabelled bool, wanted ...string) factory {
	return factory{
		pluginType: pluginType{
			name:      name,
			roles:     filterRole,
			treatment: treatLabels,
			obstacles: dropsUnlabelled,
			passes: func(_ *plugin, labels map[string]string) bool {
				role, labelled := labels[roleLabel]
				return !labelled && unlabelled || slices.Contains(wanted, role)
			},
		},
		newFilter: newLabelFilter,
	}
}
