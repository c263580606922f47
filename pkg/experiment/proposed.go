// SPDX-License-Identifier: Apache-2.0

package experiment

import "windtunnel.dev/windtunnel/api/v1alpha1"

// What a proposal is spelled out with: one parameter, whose two values are whole
// EPP configurations.
const (
	Configuration   = "configuration"
	CurrentProfile  = "baseline"
	ProposedProfile = "proposal"
)

// ProposedPoint is the point of a proposal.
var ProposedPoint = []v1alpha1.Assignment{{Name: Configuration, Value: ProposedProfile}}
