// SPDX-License-Identifier: Apache-2.0

package observe

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"windtunnel.dev/windtunnel/api/v1alpha1"
	"windtunnel.dev/windtunnel/internal/printable"
	"windtunnel.dev/windtunnel/pkg/kube"
	"windtunnel.dev/windtunnel/pkg/observe"
)

// conditionOwner owns the condition among the fields of a run.
const conditionOwner = "windtunnel-observe"

// maxMessage bounds the message of a condition in bytes, as the controllers do.
const maxMessage = 2048

// conditionOf is what a look found.
func conditionOf(l *observe.Look) metav1.Condition {
	c := metav1.Condition{Status: metav1.ConditionFalse, Reason: v1alpha1.ReasonAsPredicted, Message: l.String()}
	if l.Report.Drift {
		reason := ""
		for word := range strings.FieldsSeq(l.Report.Causes.Most()) {
			reason += strings.ToUpper(word[:1]) + word[1:]
		}
		c.Status, c.Reason = metav1.ConditionTrue, cmp.Or(reason, v1alpha1.ReasonUnexplained)
	}
	return c
}

// unknown has the condition say why no look tells whether there is drift. It returns the message, which has the time.
func (f *follower) unknown(ctx context.Context, stderr io.Writer, reason, why string) string {
	message := fmt.Sprintf("%s %s: %s", time.Now().UTC().Format(time.RFC3339), f.of.Name, why)
	f.report(ctx, stderr, metav1.Condition{Status: metav1.ConditionUnknown, Reason: reason, Message: message})
	return message
}

// report gives the run condition Drifted, if that is asked for. It applies this condition and nothing else.
func (f *follower) report(ctx context.Context, stderr io.Writer, c metav1.Condition) {
	if !f.followed.condition {
		return
	}
	c.Type, c.ObservedGeneration, c.Message = v1alpha1.ConditionDrifted, f.of.run.Generation, printable.Clip(c.Message, maxMessage)
	meta.SetStatusCondition(&f.of.run.Status.Conditions, c) // the time of the transition stays without one
	err := f.cluster.ApplyStatus(ctx, kube.Runs, types.NamespacedName{Namespace: f.of.run.Namespace, Name: f.of.run.Name}, conditionOwner, map[string]any{
		"apiVersion": v1alpha1.GroupVersion.String(), "kind": v1alpha1.SimulationRunKind,
		"metadata": map[string]any{"name": f.of.run.Name},
		"status":   map[string]any{"conditions": []metav1.Condition{*meta.FindStatusCondition(f.of.run.Status.Conditions, v1alpha1.ConditionDrifted)}},
	})
	if err != nil {
		fmt.Fprintf(stderr, "windtunnel: write condition %s: %v\n", v1alpha1.ConditionDrifted, err)
	}
}
