// SPDX-License-Identifier: Apache-2.0

package experiment

// Live has a plan's one simulation measured in place of simulated: by a real EPP before pods of
// simulated replicas.
type Live struct {
	// Image is that of the EPP, Args are its flags in addition to those that are the same for all runs.
	Image string   `json:"image"`
	Args  []string `json:"args,omitempty"`
	// EndpointPickerConfig is the text of its configuration.
	EndpointPickerConfig string `json:"endpointPickerConfig"`
	// Pools are those of the scenario, in its order.
	Pools []LivePool `json:"pools"`
	// Priorities is whether requests may have priorities other than 0.
	Priorities bool `json:"priorities,omitempty"`
}

// LiveEventsPort is where each replica of a live run publishes KV events.
const LiveEventsPort = 5557

// LivePool is a pool whose replicas are pods.
type LivePool struct {
	Name string `json:"name"`
	// Replicas is how many there are at the start.
	Replicas int32 `json:"replicas"`
	// Labels are those that the EPP reads of each replica.
	Labels map[string]string `json:"labels,omitempty"`
}

// digest identifies what is measured; "" where nothing is.
func (l *Live) digest() string {
	if l == nil {
		return ""
	}
	return digestJSON(l)
}
