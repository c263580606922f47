// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
)

// readStability is for the policy that leaves the decision to the stability controllers of
// replicas: the one that the router chooses rejects a request for which it finds no room
// in addition to what runs. So the gateway itself admits all.
func readStability(l *loader) func(int64) policy.Admission {
	if !l.names.Stability {
		l.errs = append(l.errs, field.Invalid(l.path.Child("policy"), "stability",
			"no pool has a stability controller: set kvCache.stability of a pool"))
	}
	l.asksReplicas = true
	return func(int64) policy.Admission { return always{} }
}
