// SPDX-License-Identifier: Apache-2.0

package epp

import (
	"windtunnel.dev/windtunnel/pkg/policy/epp/config"
	"windtunnel.dev/windtunnel/pkg/policy/epp/scheduler"
	"windtunnel.dev/windtunnel/pkg/policy/epp/version"
)

const (
	alwaysDisaggPDDeciderType         = "always-disagg-pd-decider"
	alwaysDisaggMultimodalDeciderType = "always-disagg-multimodal-decider"
)

// These deciders look at no cache.
var (
	// alwaysDisaggPDDecider has every prompt computed elsewhere.
	alwaysDisaggPDDecider = scheduler.Factory{
		PluginType: config.PluginType{
			Name:         alwaysDisaggPDDeciderType,
			Registration: version.LLMD("scheduler-v0.6.."),
			Roles:        config.DeciderRole,
			Treatment: treatDecider(func(*config.Config, *config.Cluster, *config.Plugin) (config.Treatment, string) {
				return config.Exact, ""
			}),
		},
		NewDecider: func(*scheduler.Builder, *config.Plugin) scheduler.Decider {
			return constantDecider(scheduler.Disaggregated)
		},
	}
	// alwaysDisaggMultimodalDecider has images, audio and video encoded elsewhere.
	// Simulated prompts are text.
	alwaysDisaggMultimodalDecider = scheduler.Factory{
		PluginType: config.PluginType{
			Name:         alwaysDisaggMultimodalDeciderType,
			Registration: version.LLMD("scheduler-v0.7.."),
			Roles:        config.DeciderRole,
			Treatment:    ignoredAs("says no to all: prompts are text"),
		},
		NewDecider: func(*scheduler.Builder, *config.Plugin) scheduler.Decider { return constantDecider(scheduler.Disabled) },
	}
)

// A constantDecider has one answer.
type constantDecider scheduler.Reason

func (d constantDecider) Decide(*scheduler.Cycle, int) scheduler.Reason { return scheduler.Reason(d) }
