// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// standingCase is an object, and what pages say of it.
type standingCase struct {
	object  Object
	state   string
	outcome verdict.Outcome
	ended   bool
	message string
}

// live is a sweep of a cluster, observed at generation 1, with conditions Ready and Passed.
func live(generation int64, ready, passed metav1.Condition, more ...metav1.Condition) Object {
	o := sample(Sweeps, "a", "s")
	ready.Type, passed.Type = v1alpha1.ConditionReady, v1alpha1.ConditionPassed
	o.Generation, o.Status.ObservedGeneration, o.Status.Conditions = generation, 1, append(more, ready, passed)
	return o
}

// printed is a sweep of a file.
func printed(v *verdict.Verdict) Object {
	o := sample(Sweeps, "a", "s")
	o.File, o.Status.Conditions, o.Judged = "s.json", nil, v
	return o
}

// States and verdicts are those of kubectl windtunnel.
func TestStatesAndVerdicts(t *testing.T) {
	because := func(status metav1.ConditionStatus, reason string) metav1.Condition {
		return metav1.Condition{Status: status, Reason: reason, Message: "because"}
	}
	complete := metav1.Condition{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue}
	damaged := metav1.Condition{Type: v1alpha1.ConditionResultsDamaged, Status: metav1.ConditionTrue, Message: "a chunk is gone"}
	ready, running := because(metav1.ConditionTrue, v1alpha1.ReasonComplete), because(metav1.ConditionFalse, "Running")
	fails := because(metav1.ConditionFalse, v1alpha1.ReasonGateFailed)
	for name, test := range map[string]standingCase{
		"gates that fail":        {live(1, ready, fails, complete), "Complete", verdict.Fail, true, "because"},
		"gates that pass":        {live(1, ready, because(metav1.ConditionTrue, v1alpha1.ReasonGatesPassed), complete), "Complete", verdict.Pass, true, "because"},
		"too little evidence":    {live(1, ready, because(metav1.ConditionUnknown, v1alpha1.ReasonUndecided), complete), "Complete", verdict.Undecided, true, "because"},
		"nothing beats baseline": {live(1, ready, because(metav1.ConditionFalse, v1alpha1.ReasonBaselineIsBest), complete), "Complete", verdict.Fail, true, "because"},
		"work under way":         {live(1, running, because(metav1.ConditionUnknown, v1alpha1.ReasonPending)), "Running", "", false, "because"},
		"another spec":           {live(2, ready, fails, complete), "Pending", "", false, "the manager has not seen the present spec yet"},
		"damaged results":        {live(1, ready, fails, complete, damaged), "ResultsDamaged", verdict.Fail, true, "a chunk is gone"},
		"a file that fails":      {printed(&verdict.Verdict{Outcome: verdict.Fail}), "Complete", verdict.Fail, true, ""},
		"a file without gates":   {printed(nil), "Complete", "", true, ""},
	} {
		o := test.object
		if o.State() != test.state || o.Outcome() != test.outcome || o.Ended() != test.ended || o.Message() != test.message {
			t.Errorf("%s: state %s, verdict %q, ended %v, message %q", name, o.State(), o.Outcome(), o.Ended(), o.Message())
		}
	}
}
