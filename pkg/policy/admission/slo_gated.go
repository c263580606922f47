// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"windtunnel.dev/windtunnel/pkg/policy"
	"windtunnel.dev/windtunnel/pkg/spelling"
)

// sloGated looks at the longest queue of all replicas that are there. Requests of the
// critical class always enter; those of the standard class while the queue is shorter
// than one depth, and all others while it is shorter than another.
//
// Source: the experiment of inference-sim (2026) that tuned prefix and load weights,
// with the depths 10 and 5.
type sloGated struct {
	critical, standard        int // classes; -1 where the workload lacks them
	standardDepth, otherDepth int
}

func readSLOGated(l *loader) func(int64) policy.Admission {
	critical := l.Word("critical", "critical", "the class whose requests always enter")
	standard := l.Word("standard", "standard", "the class that has standardDepth")
	g := sloGated{
		critical:      slices.Index(l.names.Classes, critical),
		standard:      slices.Index(l.names.Classes, standard),
		standardDepth: l.Count("standardDepth", 10, "waiting requests on a replica from which on the standard class is refused"),
		otherDepth:    l.Count("otherDepth", 5, "waiting requests on a replica from which on all other classes are refused"),
	}
	if g.critical < 0 && g.standard < 0 && l.names.Classes != nil && !l.names.Selected {
		l.errs = append(l.errs, field.Invalid(l.path.Child("policy"), "slo-gated", fmt.Sprintf(
			"the workload has no class %s or %s, so the gate treats all requests alike; its classes are %s: set parameters critical and standard",
			critical, standard, spelling.Quote(l.names.Classes))))
	}
	return func(int64) policy.Admission { return g }
}

func (g sloGated) Admit(view *policy.View, request *policy.Request) policy.AdmissionResponse {
	if request.Class == g.critical {
		return policy.AdmissionResponse{}
	}
	depth := g.otherDepth
	if request.Class == g.standard {
		depth = g.standardDepth
	}
	for e := range view.Scrapes {
		if view.Scrapes[e].Waiting >= depth && (view.Down == nil || !view.Down[e]) {
			return policy.Reject(policy.ErrClassRefused)
		}
	}
	return policy.AdmissionResponse{}
}
