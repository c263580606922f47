// SPDX-License-Identifier: Apache-2.0

package epp

const (
	alwaysDisaggPDDeciderType         = "always-disagg-pd-decider"
	alwaysDisaggMultimodalDeciderType = "always-disagg-multimodal-decider"
)

// These deciders look at no cache.
var (
	// alwaysDisaggPDDecider has every prompt computed elsewhere.
	alwaysDisaggPDDecider = factory{
		pluginType: pluginType{
			name:         alwaysDisaggPDDeciderType,
			registration: llmd("scheduler-v0.6.."),
			roles:        deciderRole,
			treatment:    treatDecider(func(*Config, *Cluster, *plugin) (Treatment, string) { return Exact, "" }),
		},
		newDecider: func(*builder, *plugin) decider { return constantDecider(Disaggregated) },
	}
	// alwaysDisaggMultimodalDecider has images, audio and video encoded elsewhere.
	// Simulated prompts are text.
	alwaysDisaggMultimodalDecider = factory{
		pluginType: pluginType{
			name:         alwaysDisaggMultimodalDeciderType,
			registration: llmd("scheduler-v0.7.."),
			roles:        deciderRole,
			treatment:    ignoredAs("says no to all: prompts are text"),
		},
		newDecider: func(*builder, *plugin) decider { return constantDecider(Disabled) },
	}
)

// A constantDecider has one answer.
type constantDecider Reason

func (d constantDecider) decide(*cycle, int) Reason { return Reason(d) }
