// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy/autoscaling/manifest"
	"windtunnel.dev/windtunnel/pkg/policy/epp/lint"
)

const maxBeyondNodesID = "max-beyond-nodes"

var maxBeyondNodes = Rule{
	ID: maxBeyondNodesID, Severity: lint.Warning, Kind: manifest.HorizontalPodAutoscaler,
	Summary: "a maximum of replicas that the nodes have no room for",
	Why:     "The replicas beyond that stay Pending. They count as idle ones for the autoscaler.",
	Fix:     "Lower the maximum, or raise the quota of nodes.",
	Context: Context{Places: 8},
	check: func(p *pass) {
		p.found = append(p.found, CheckMaximum(p.Max, p.Context, p.bound("maxReplicas", "maxReplicaCount"))...)
	},
}

// CheckMaximum returns what there is to know of a maximum of replicas, whose path is at. Scalers without
// a manifest have one, too.
func CheckMaximum(most int, c Context, at *field.Path) []Finding {
	if c.Places == 0 || most <= c.Places {
		return nil
	}
	return []Finding{{maxBeyondNodesID, lint.Warning, at.String(), fmt.Sprintf("the maximum is %d, and the nodes have room for %d replicas", most, c.Places)}}
}
