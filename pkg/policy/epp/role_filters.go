// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"slices"

	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const (
	decodeFilterType  = "decode-filter"
	prefillFilterType = "prefill-filter"
	encodeFilterType  = "encode-filter"
)

// The filters keep pods by what they serve. Pods without a role decode, and
// "both" is an old word for prefill-decode. Up to scheduler-v0.6 a role has one
// part, and "both" is none that prefills.
var (
	oldDecodeFilter  = roleFilter(decodeFilterType, true, "decode", "both").Registered(version.LLMD("scheduler-v0.2..scheduler-v0.6"))
	oldPrefillFilter = roleFilter(prefillFilterType, false, "prefill").Registered(version.LLMD("scheduler-v0.2..scheduler-v0.6"))

	decodeFilter  = roleFilter(decodeFilterType, true, "decode", "prefill-decode", "both", "encode-prefill-decode").Registered(version.LLMD("scheduler-v0.7.."))
	prefillFilter = roleFilter(prefillFilterType, false, "prefill", "encode-prefill", "prefill-decode", "both", "encode-prefill-decode").Registered(version.LLMD("scheduler-v0.7.."))
	encodeFilter  = roleFilter(encodeFilterType, false, "encode", "encode-prefill", "encode-prefill-decode").Registered(version.LLMD("scheduler-v0.7.."))
)

func roleFilter(name string, unlabelled bool, wanted ...string) scheduler.Factory {
	return scheduler.Factory{
		PluginType: config.PluginType{
			Name:      name,
			Roles:     config.FilterRole,
			Treatment: treatLabels,
			Obstacles: dropsUnlabelled,
			Passes: func(_ *config.Plugin, labels map[string]string) bool {
				role, labelled := labels[config.RoleLabel]
				return !labelled && unlabelled || slices.Contains(wanted, role)
			},
		},
		NewFilter: newLabelFilter,
	}
}
