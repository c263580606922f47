// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/pkg/verdict"
)

// Answer is the verdict on an object whose work has ended.
type Answer struct {
	metav1.TypeMeta `json:",inline"`

	// Result is what the gates say together. A rollout proceeds with Pass, stops with Fail, and
	// waits for a person with Unknown.
	Result verdict.Outcome `json:"result"`
	// Reason is the reason of the condition that the result comes from.
	Reason string `json:"reason"`
	// Message is the result in a sentence.
	Message string `json:"message"`
	// Gates are the verdicts of the gates.
	Gates []v1alpha1.GateStatus `json:"gates"`
	// ObservedGeneration is the generation of the spec that was judged, which is the present one.
	ObservedGeneration int64 `json:"observedGeneration"`
	// PlanHash is the digest of everything that was simulated.
	PlanHash string `json:"planHash,omitempty"`
	// EngineVersion is the simulator's version.
	EngineVersion string `json:"engineVersion,omitempty"`
	// Inputs are the digests of what was read from outside the object.
	Inputs []v1alpha1.InputDigest `json:"inputs"`
	// CompletionTime is when the work ended.
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`

	// ungated says that the object has no gates: its result is Unknown, as a rollout must wait.
	ungated bool
	// byGates says that the result is what came of the gates.
	byGates bool
}

// outcome is the result as people read it.
func (a *Answer) outcome() verdict.Outcome {
	if a.ungated {
		return verdict.NotJudged
	}
	return a.Result
}

// unfinishedError says that there is no verdict yet.
type unfinishedError struct{ message string }

func (e unfinishedError) Error() string { return e.message }

// otherFileError says that a verdict is about another EPP file than the one asked for.
type otherFileError struct{ digest string }

func (e otherFileError) Error() string {
	return fmt.Sprintf("the verdict is not about the EPP file with %s %s", digestParameter, e.digest)
}

// otherStepError says that a rollout has no such step.
type otherStepError struct {
	percent int32
	steps   []v1alpha1.StepStatus
}

func (e otherStepError) Error() string {
	if len(e.steps) == 0 {
		return stepParameter + " is of a sweep with a rollout, which this object is not"
	}
	var have []string
	for _, s := range e.steps {
		have = append(have, strconv.Itoa(int(s.Percent)))
	}
	return fmt.Sprintf("the rollout has no step %d; its steps are %s", e.percent, strings.Join(have, ", "))
}

// demand is what a question asks about.
type demand struct {
	// digest is that of the EPP file under judgement; "" is any file.
	digest string
	// step is the share of a rollout to which the verdict goes, in percent; 0 is the last one.
	step int32
}

// verdictOn returns the verdict of an object on what is demanded.
func (o *object) verdictOn(d demand) (*Answer, error) {
	v, err := o.verdict()
	switch {
	case err != nil:
		return nil, err
	case d.digest != "" && !o.judges(d.digest):
		return nil, otherFileError{d.digest}
	case d.step == 0 || !v.byGates:
		return v, nil
	}
	return v, o.narrow(v, d.step)
}

// narrow makes a verdict that of the steps up to a share: the first of them that does not pass decides.
func (o *object) narrow(v *Answer, percent int32) error {
	last := slices.IndexFunc(o.steps, func(s v1alpha1.StepStatus) bool { return s.Percent == percent })
	if last < 0 {
		return otherStepError{percent, o.steps}
	}
	of := &o.steps[last]
	if stops := slices.IndexFunc(o.steps[:last], func(s v1alpha1.StepStatus) bool { return s.Verdict != v1alpha1.GatePass }); stops >= 0 {
		of = &o.steps[stops]
	}
	v.Result, v.Reason, v.Gates = verdict.Outcome(of.Verdict), of.Reason, []v1alpha1.GateStatus{}
	v.Message = fmt.Sprintf("step %d %%: %s", of.Percent, of.Message)
	return nil
}

// verdict returns the verdict of an object, or an unfinishedError. A result of Pass needs gates
// that pass, of the present spec, with the inputs that the cluster has now: all else is no
// evidence for a rollout.
func (o *object) verdict() (*Answer, error) {
	st := o.status
	if st.ObservedGeneration != o.GetGeneration() {
		return nil, unfinishedError{fmt.Sprintf("the status is of generation %d of the spec, and the present one is %d", st.ObservedGeneration, o.GetGeneration())}
	}
	ready, passed := o.condition(v1alpha1.ConditionReady), o.condition(v1alpha1.ConditionPassed)
	if ready == nil {
		return nil, unfinishedError{"the work has not begun"}
	}
	v := &Answer{
		TypeMeta: metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "Verdict"},
		Result:   verdict.Undecided, Reason: ready.Reason, Message: ready.Message,
		Gates: append([]v1alpha1.GateStatus{}, st.Gates...), ObservedGeneration: st.ObservedGeneration,
		PlanHash: st.PlanHash, EngineVersion: st.EngineVersion, Inputs: append([]v1alpha1.InputDigest{}, st.Inputs...),
		CompletionTime: st.CompletionTime,
	}
	changed := o.condition(v1alpha1.ConditionInputsChanged)
	switch {
	case needsUser(ready, st.Conditions):
	case ready.Status != metav1.ConditionTrue:
		return nil, unfinishedError{fmt.Sprintf("%s: %s", ready.Reason, ready.Message)}
	case passed == nil:
		v.Message, v.ungated = verdict.Ungated().Message, true
	case changed != nil && changed.Status == metav1.ConditionTrue:
		v.Reason, v.Message = changed.Reason, changed.Message
	default:
		v.byGates = true
		v.Result, v.Reason, v.Message = verdict.OfCondition(string(passed.Status)), passed.Reason, passed.Message
	}
	return v, nil
}

// needsUser reports whether the work ended without a verdict, or cannot go on until a user changes
// the spec. An input that is missing may be about to come.
func needsUser(ready *metav1.Condition, all []metav1.Condition) bool {
	stalled := meta.IsStatusConditionTrue(all, v1alpha1.ConditionStalled)
	return stalled && ready.Reason != v1alpha1.ReasonInputMissing || meta.IsStatusConditionTrue(all, v1alpha1.ConditionFailed)
}
